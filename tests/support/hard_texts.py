"""Texts in which the rules about characters meet, drawn by Hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

NONCE = "0123456789abcdef" * 2


# Chosen where the rules meet: joiners and what may stand beside them, fillers, marks, controls, markup.
TRICKY = (
    "\u200d\u200c\ufe0f\u20e3❤🔥👩🏽♂1#अक्षमیخ\u0301\u0316e\u212b\x1b\x9b\r\n\t"
    " \\x{}[]()<>!-&?:/.|`\u202e\u2066\u3164\u2028\udc80"
)
hidden_text = st.lists(
    st.one_of(
        st.sampled_from(TRICKY),
        st.characters(),
        st.sampled_from(["<!--", "-->", "![a](b)", "](https://e.example/?q)", "<system>", f"[memory {NONCE[:31]}"]),
    ),
    max_size=30,
).map("".join)


# Where the rules meet: joined names, humps, accents in both spellings, unspaced scripts, ligatures, marks, surrogates.
joined_text = st.lists(
    st.one_of(
        st.characters(),
        st.sampled_from("aZ9_./- \n\x00'’`éßıİﬁ½ǅ認証トㇰ한ไท\u0301\u00ad\u200b\u200d\ufeff\udc80"),
        st.sampled_from(["snake_case", "HTTPServer2", "src/auth.py", "not", "what", "x" * 70, "café", "cafe\u0301"]),
    ),
    max_size=30,
).map("".join)
