"""The forms of credentials: one table with a row for each kind.

The rules are the published formats of common tokens, each anchored on its prefix, and general ones: a password in a
URL, a header or a command, and a random value assigned to a name such as ``api_key``. Obvious placeholders are allowed.

The patterns are linear: every repetition is bounded or stops where the pattern could begin again, and none is nested.
They are compiled when a text first contains one of their needles (``re`` caches them), so the rules are strings.

Sources of the formats: the vendors' own pages on their tokens as collected in GitHub's "Supported secret scanning
patterns" and in gitleaks' default configuration (8.x, config/gitleaks.toml).
"""

from __future__ import annotations

from gitmem.frozen import frozen
from gitmem.text.secret_values import (
    NAME,
    UUID,
    is_argument,
    is_assigned,
    is_basic,
    is_borne,
    is_granting,
    is_key_block,
    is_named_value,
    is_password_in_url,
    is_password_of_curl,
    is_password_option,
    is_phrase,
    is_prefixed,
    is_said_password,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    Accept = Callable[[re.Match[str]], bool]

# The value of an option on a command line.
_ARGUMENT = r"(?:\"([^\"\n]{4,256})\"|'([^'\n]{4,256})'|([^\s\"'`$<|;&]{4,256}))"
# A blank, a tab, and the blanks that French and Chinese put beside a colon.
_BLANK = "[ \t\u00a0\u2009\u202f\u3000]"
_ASSIGNS = (
    rf"[\"'`]?(?:{_BLANK}{{0,4}}:{_BLANK}{{0,4}}[A-Za-z]{{2,12}})?{_BLANK}{{0,4}}(?::=|=>|={{1,3}}|!=|:){_BLANK}{{0,4}}"
)
_VALUE = (
    r"(?:\"([^\"\s]{8,256})\"|'([^'\s]{8,256})'|`([^`\s]{8,256})`"
    r"|([^\s\"'`,;:=&(){}\[\]<>$]{8,256}={0,2})(?=[\s\"'`,;&)}\]]|\Z))"
)
# A Discord bot token begins with the base64 of a user id: decimal digits, hence these alternating letters. The first is
# written out: `re` searches for a set of letters faster than for a group.
_DISCORD_ID = r"[MNO][DTjz][AEIMQUYcgk][0-5w-z](?:[MNO][DTjz][AEIMQUYcgk][0-5w-z]){4,5}[A-Za-z0-9]{0,3}"
# Every token has this many characters in a row, and most prose does not: prose is searched for few rules.
LONG = 20


@frozen
class Rule:
    """One kind of credential.

    Attributes:
        name: Its name in reports.
        needles: Texts, separated by spaces, one of which is in every match; if the pattern ignores case, it begins the
            match and is lower-case here.
        pattern: A regular expression. Its last participating group is the credential; without a group it is the whole
            match, and must not continue a word.
        accept: Returns whether a match is a credential, or None for a token of at least ``LONG`` characters, without
            white space, that only must not look like a placeholder.
        is_short: Whether a match need not have ``LONG`` characters in a row without white space.
        longest_word: The fewest characters in a row, without white space, in the text of a match, where its needle is
            among them; 0 for ``LONG``.
        signs: Characters one of which is in every match, for needles that are words of prose; empty for any text.
        is_mixed: Whether the longest word has letters of both cases and a digit.
        is_code: Whether a word of ``LONG`` characters must have a letter and a digit, for words of most code.
        quick: A pattern for re2 that matches wherever this one does; empty to derive it.
        signs_within: The most characters from the beginning of a needle up to and with one of them; 0 for any number.
    """

    name: str
    needles: str
    pattern: str
    accept: Accept | None = None
    is_short: bool = False
    longest_word: int = 0
    signs: str = ""
    signs_within: int = 0
    is_mixed: bool = False
    is_code: bool = False
    quick: str = ""


# The most specific rules first: of two that begin at the same place, the first one names the secret.
RULES = (
    Rule(
        "private-key",
        "-----BEGIN",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----((?:[^-]|-(?!----))*)",
        is_key_block,
    ),
    Rule("aws-access-key-id", "AKIA ASIA ABIA ACCA", r"A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}(?![A-Za-z0-9])"),
    Rule(
        "aws-secret-key",
        "aws_secret aws-secret awssecret secretaccess secret_access secret-access",
        r"(?i)(?:aws[_-]?secret|secret[_-]?access)[_-]?(?:access[_-]?)?key"
        r"[\"']?[ \t]{0,4}(?:=>|=|:)[ \t]{0,4}[\"']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
    ),
    Rule("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[opsur]_[A-Za-z0-9]{36,}"),
    Rule("github-fine-grained-token", "github_pat_", r"github_pat_[A-Za-z0-9_]{40,}"),
    Rule(
        "gitlab-token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glagent- glimt- gloas-",
        r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|oas)-[A-Za-z0-9_.-]{20,}",
    ),
    Rule("slack-token", "xox", r"xox[abeoprs]-[A-Za-z0-9-]{20,}"),
    Rule("slack-app-token", "xapp-", r"xapp-\d-[A-Za-z0-9-]{20,}"),
    Rule(
        "slack-webhook", "hooks.slack.com/", r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/+]{40,})"
    ),
    Rule("stripe-key", "k_live_ k_test_", r"[rs]k_(?:org_)?(?:live|test)_[A-Za-z0-9]{16,}"),
    Rule("stripe-webhook-secret", "whsec_", r"whsec_[A-Za-z0-9+/]{32,}"),
    Rule("anthropic-key", "sk-ant-", r"sk-ant-[a-z]{2,8}\d\d-[A-Za-z0-9_-]{24,}"),
    Rule("openrouter-key", "sk-or-v1-", r"sk-or-v1-[0-9a-f]{64}"),
    Rule(
        "openai-key", "sk-", r"sk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{40,}|[A-Za-z0-9]{32,64}(?![A-Za-z0-9]))"
    ),
    Rule("groq-key", "gsk_", r"gsk_[A-Za-z0-9]{52}(?![A-Za-z0-9])"),
    Rule("xai-key", "xai-", r"xai-[A-Za-z0-9]{80}(?![A-Za-z0-9])"),
    Rule("google-api-key", "AIza", r"AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9])"),
    Rule("google-api-key", "AQ.A", r"AQ\.A[A-Za-z0-9_-]{40,}"),
    Rule("google-access-token", "ya29.", r"ya29\.[A-Za-z0-9_-]{20,}"),
    Rule("google-refresh-token", "1//0", r"1//0[A-Za-z0-9_-]{40,}"),
    Rule("google-oauth-secret", "GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{28}"),
    Rule("perplexity-key", "pplx-", r"pplx-[A-Za-z0-9]{40,}"),
    Rule("replicate-token", "r8_", r"r8_[A-Za-z0-9]{37}(?![A-Za-z0-9])"),
    Rule("cerebras-key", "csk-", r"csk-[a-z0-9]{48}(?![A-Za-z0-9])"),
    Rule("nvidia-key", "nvapi-", r"nvapi-[A-Za-z0-9_-]{60,}"),
    Rule("together-key", "tgp_v1_", r"tgp_v1_[A-Za-z0-9_-]{40,}"),
    Rule("langsmith-key", "lsv2_", r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    Rule("tavily-key", "tvly-", r"tvly-(?:dev-|prod-)?[A-Za-z0-9_-]{30,}"),
    Rule("npm-token", "npm_", r"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    Rule("pypi-token", "pypi-AgE", r"pypi-AgE[A-Za-z0-9_-]{50,}"),
    Rule("rubygems-key", "rubygems_", r"rubygems_[0-9a-f]{48}"),
    Rule("docker-hub-token", "dckr_", r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{27,}"),
    Rule("hugging-face-token", "hf_", r"hf_[A-Za-z0-9]{34,40}(?![A-Za-z0-9_])"),
    Rule("digitalocean-token", "_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
    Rule("cloudflare-token", "cfut_ cfat_ cfk_", r"cf(?:ut|at|k)_[A-Za-z0-9_-]{40,}"),
    Rule("vercel-token", "vcp_ vci_ vca_ vcr_ vck_", r"vc[piark]_[A-Za-z0-9_-]{40,}"),
    Rule("netlify-token", "nfp_", r"nfp_[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    Rule("fly-token", "fm1 fm2_ fo1_", r"fo1_[A-Za-z0-9_-]{43}|fm(?:1[ar]|2)_[A-Za-z0-9+/]{100,}={0,3}"),
    Rule("supabase-key", "sbp_ sb_secret_", r"sbp_[0-9a-f]{40}|sb_secret_[A-Za-z0-9_-]{24,}"),
    Rule("planetscale-token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_=.-]{32,64}"),
    Rule("doppler-token", "dp.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}"),
    Rule("pulumi-token", "pul-", r"pul-[0-9a-f]{40}(?![A-Za-z0-9])"),
    Rule("sentry-token", "sntry", r"sntryu_[0-9a-f]{64}|sntrys_eyJ[A-Za-z0-9+/=_-]{40,}"),
    Rule("new-relic-key", "NRAK-", r"NRAK-[A-Z0-9]{27}(?![A-Za-z0-9])"),
    Rule("postman-key", "PMAK-", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    Rule("1password-token", "ops_eyJ", r"ops_eyJ[A-Za-z0-9+/_-]{250,}={0,3}"),
    Rule("databricks-token", "dapi", r"dapi[0-9a-f]{32}(?![A-Za-z0-9])"),
    Rule("vault-token", "hvs. hvb.", r"hv[bs]\.[A-Za-z0-9_-]{24,}"),
    Rule("grafana-token", "glsa_", r"glsa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}"),
    Rule("shopify-token", "shp", r"shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32}"),
    Rule("atlassian-token", "ATATT3", r"ATATT3[A-Za-z0-9_=-]{60,}"),
    Rule("bitbucket-token", "ATCTT3 ATBB", r"ATCTT3[A-Za-z0-9_=-]{60,}|ATBB[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    Rule("notion-token", "ntn_", r"ntn_[A-Za-z0-9]{46}(?![A-Za-z0-9])"),
    # "pat" is in every path, "re_" in names of functions: a shorter word loads no patterns.
    Rule("airtable-token", "pat", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}", longest_word=82),
    Rule("figma-token", "figd_", r"figd_[A-Za-z0-9_-]{40,}"),
    Rule("resend-key", "re_", r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}(?![A-Za-z0-9])", longest_word=36),
    Rule("linear-key", "lin_api_", r"lin_api_[A-Za-z0-9]{40}"),
    Rule("tailscale-key", "tskey-", r"tskey-[a-z]{2,12}-[A-Za-z0-9]{8,32}-[A-Za-z0-9]{16,}"),
    Rule("age-key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}"),
    Rule("terraform-token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}"),
    Rule("grafana-cloud-token", "glc_", r"glc_[A-Za-z0-9+/]{32,}={0,3}"),
    Rule("square-token", "sq0", r"sq0(?:atp|csp)-[A-Za-z0-9_-]{22,}"),
    Rule("circleci-token", "CCIP", r"CCIP(?:AT|RJ)_[A-Za-z0-9]{22}_[0-9a-f]{40}"),
    Rule("buildkite-token", "bkua_", r"bkua_[0-9a-f]{40}"),
    Rule("sonar-token", "sqp_ squ_ sqa_", r"sq[pua]_[0-9a-f]{40}"),
    Rule("posthog-key", "phx_ phs_", r"ph[xs]_[A-Za-z0-9]{40,}"),
    Rule("hubspot-token", "pat-", rf"pat-(?:na|eu|ap)\d-{UUID}", longest_word=44),
    Rule("mapbox-token", "sk.eyJ", r"sk\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}"),
    Rule("mailgun-key", "key-", r"(?<![_-])key-[0-9a-f]{32}(?![A-Za-z0-9])", longest_word=36),
    Rule("mailchimp-key", "-us", r"[0-9a-f]{32}-us\d{1,2}(?![A-Za-z0-9])", longest_word=36),
    Rule("gitlab-runner-token", "GR1348941", r"GR1348941[A-Za-z0-9_-]{20,}"),
    Rule("bitwarden-token", "0.", rf"0\.{UUID}\.[A-Za-z0-9]{{30}}:[A-Za-z0-9+/]{{22}}==", longest_word=90),
    Rule("brevo-key", "xkeysib-", r"xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    Rule("openshift-token", "sha256~", r"sha256~[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])"),
    Rule("clickhouse-key", "4b1d", r"4b1d[A-Za-z0-9]{38}(?![A-Za-z0-9])", longest_word=42),
    Rule("nuget-key", "oy2", r"oy2[a-z0-9]{43}(?![A-Za-z0-9])", longest_word=46),
    Rule("alibaba-key-id", "LTAI", r"LTAI[A-Za-z0-9]{20}(?![A-Za-z0-9])"),
    Rule("inngest-key", "signkey-", r"signkey-[a-z]{2,10}-[0-9a-f]{64}"),
    Rule("zapier-webhook", "hooks.zapier.com/", r"hooks\.zapier\.com/hooks/catch/\d{4,12}/([a-z0-9]{6,})"),
    Rule(
        "google-chat-webhook",
        "chat.googleapis.com/",
        r"chat\.googleapis\.com/v1/spaces/[^\s]{1,200}?[?&]token=([A-Za-z0-9_%-]{20,})",
    ),
    Rule("mattermost-webhook", "/hooks/", r"/hooks/([a-z0-9]{26})(?![A-Za-z0-9])", is_borne),
    Rule("sendgrid-key", "SG.", r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    Rule("twilio-key", "SK", r"SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    Rule("telegram-token", ":AA", r"(?<!\d)(\d{8,10}:AA[A-Za-z0-9_-]{33})(?![A-Za-z0-9_-])"),
    # Its needle is in most texts, and patterns take 5 ms to load (measured).
    Rule("discord-token", ".", rf"{_DISCORD_ID}\.[A-Za-z0-9_-]{{6}}\.[A-Za-z0-9_-]{{27,}}", longest_word=50),
    Rule(
        "teams-webhook",
        "/IncomingWebhook/",
        r"\.webhook\.office\.com/webhookb2/[\w@-]{3,120}/IncomingWebhook/([0-9a-f]{32})",
    ),
    Rule("discord-webhook", "/api/webhooks/", r"/api/webhooks/\d{17,20}/([A-Za-z0-9_-]{60,})"),
    Rule("azure-storage-key", "AccountKey=", r"AccountKey=([A-Za-z0-9+/]{86}==)"),
    Rule("azure-client-secret", "Q~", r"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])"),
    Rule("azure-sas", "sig=", r"(?<![A-Za-z0-9_])sig=((?:[A-Za-z0-9+/]|%2[BbFf]){43}(?:=|%3[Dd]))(?![A-Za-z0-9+/])"),
    Rule("azure-devops-token", "AZDO", r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])"),
    Rule("heroku-key", "HRKU-AA", r"HRKU-AA[A-Za-z0-9_-]{58}"),
    Rule("heroku-api-key", "heroku", rf"(?i)heroku[\w .-]{{0,30}}[\"']?[ \t]{{0,4}}[:=]>?[ \t]{{0,4}}[\"']?({UUID})"),
    Rule(
        "jwt",
        "eyJ",
        r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))(eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,})",
    ),
    Rule(
        "password-in-url",
        "://",
        r"://([^\s/?#@:\"'`<>]*):([^\s/?#@\"'`<>]{3,})@(?!sha\d)(?=[A-Za-z0-9\[])(?![\w.-]{0,60}example)",
        is_password_in_url,
        is_short=True,
    ),
    Rule(
        "password-in-url",
        "@tcp( @unix( @tcp6(",
        r"(?<![\w.-])([\w.-]{1,64}):([^\s:\"'`<>@]{3,64})@(?:tcp6?|unix)\(",
        is_password_in_url,
        is_short=True,
    ),
    Rule(
        "password-of-curl",
        "curl",
        r"(?<=\s)(?:-[A-Za-z]{0,8}[uU]|--(?:proxy-)?user)(?:[ \t]{1,8}|=)?"
        r"(?:\"([^\"\n:]{0,64}):([^\"\n]{3,256})\"|'([^'\n:]{0,64}):([^'\n]{3,256})'|([^\s:\"']{0,64}):([^\s\"']{3,256}))",
        is_password_of_curl,
        is_short=True,
    ),
    # mysql(1): the password follows -p without a blank.
    Rule(
        "password-of-mysql",
        "mysql mariadb",
        r"(?i)(?:mysql|mariadb)[\w-]{0,12}[ \t][^\n|;&]{0,200}?(?<=[ \t])-p"
        r"(?:\"([^\"\n]{4,64})\"|'([^'\n]{4,64})'|([^\s\"'$<]{4,64}))(?![^\s;|&)])",
        is_password_option,
        is_short=True,
        signs="-",
    ),
    Rule(
        "password-of-sshpass",
        "sshpass",
        r"(?i)sshpass[ \t]{1,4}-p[ \t]{0,4}(?:\"([^\"\n]{4,64})\"|'([^'\n]{4,64})'|([^\s\"'$<]{4,64}))",
        is_password_option,
        is_short=True,
    ),
    # PostgreSQL, The Password File.
    Rule(
        "pgpass",
        ":5432: :5433: :5434: :6432:",
        r"(?<![\w.*:-])[\w.*-]{1,100}:(?:543[234]|6432):[\w*-]{1,64}:([\w*-]{1,64}):([^\s:\"'`,;]{4,100})(?![:\w])",
        is_password_in_url,
        is_short=True,
    ),
    # netrc(5).
    Rule(
        "netrc",
        "machine",
        r"(?i)machine\s{1,4}[\w.-]{1,100}\s{1,8}login\s{1,8}(\S{1,100})\s{1,8}password\s{1,8}(\S{4,100})",
        is_password_in_url,
        is_short=True,
    ),
    # RFC 6265, sections 4.1 and 4.2.
    Rule(
        "session-cookie",
        "cookie:",
        r"(?i)cookie:[^\n]{0,400}?(?:sess|sid|auth|token|jwt)[\w.-]{0,20}=((?:[A-Za-z0-9._~+/-]|%[0-9A-Fa-f]{2}){20,})",
        is_borne,
    ),
    Rule(
        "kubeconfig-key",
        "client-key-data",
        r"(?i)client-key-data[\"']?[ \t]{0,4}:[ \t]{0,4}[\"']?([A-Za-z0-9+/]{60,}={0,2})",
    ),
    # A header's value, npm's ``_auth`` and Docker's ``"auth"``.
    Rule(
        "basic-auth",
        'basic _auth "auth"',
        r"(?i)(?:basic[ \t]{1,4}|_auth[ \t]{0,4}=[ \t]{0,4}|\"auth\"[ \t]{0,4}:[ \t]{0,4})[\"']?"
        r"([A-Za-z0-9+/]{8,1024}={0,2})(?![A-Za-z0-9+/=])",
        is_basic,
        is_short=True,
    ),
    # ldapsearch(1), redis-cli, mongosh, sqlcmd, lftp(1), smbclient(1): each has an option of its own for a password.
    Rule(
        "password-of-command",
        "ldap redis-cli mongo sqlcmd lftp smbclient",
        r"(?i)(?:ldap(?:search|add|modify|delete|passwd|whoami)|redis-cli|mongo(?:sh|dump|restore|export|import)?|sqlcmd"
        r"|lftp|smbclient)[ \t](?:[^\n|;&]{0,200}?[ \t])??"
        rf"(?:-[wapP][ \t]{{1,4}}{_ARGUMENT}|-[uU][ \t]{{1,4}}[\w.@\\-]{{1,64}}[,%]([^\s\"'$<|;&]{{4,256}}))",
        is_password_option,
        is_short=True,
        signs="-",
    ),
    # `docker login -p`, `az login -p`, `helm registry login -p`
    Rule(
        "password-of-login",
        "login",
        rf"(?i)login[ \t](?:[^\n|;&]{{0,200}}?[ \t])??(?:-p|--password)[ \t=]{{1,4}}{_ARGUMENT}",
        is_password_option,
        is_short=True,
        signs="-",
    ),
    Rule(
        "password-option",
        "password passphrase storepass keypass securestring",
        r"(?i)(?:(?<=-)(?:password|passphrase|(?:store|key)pass)|(?:(?<=-src)|(?<=-dest))(?:store|key)pass"
        rf"|(?<=-)securestring(?: -string)?)[ \t]{{1,4}}{_ARGUMENT}",
        is_password_option,
        is_short=True,
        signs="-",
    ),
    Rule(
        "token-option",
        "token secret api-key access-key secret-key auth-key",
        rf"(?i)(?<=-)(?:token|secret|(?:api|access|secret|auth)-key)[ \t]{{1,4}}{_ARGUMENT}",
        is_argument,
        is_code=True,
        quick=r"(?i)-(?:token|secret|(?:api|access|secret|auth)-key)[ \t]",
    ),
    # Maven's settings, web.config and the like.
    Rule(
        "secret-element",
        "pass pwd secret token api",
        rf"(?i)({NAME})[\"']?>([^<>\s]{{8,256}})</",
        is_assigned,
        is_short=True,
        signs=">",
        signs_within=24,
    ),
    # BIP 39: 12 to 24 words of three to eight letters. Its list has none of these words of prose.
    Rule(
        "seed-phrase",
        "seed mnemonic recovery",
        r"(?i)(?:seed|mnemonic|recovery)(?:[ \t](?:phrase|words))?[ \t]{0,2}(?:is)?[:=]?[ \t]{1,4}[\"'`]?"
        r"((?:(?!the |and |from |for |are |has |its |not |but |they |then |which |were )[a-z]{3,8}[ \t]){11,23}"
        r"[a-z]{3,8}\b)",
        is_phrase,
        is_short=True,
    ),
    # Kubernetes, web.config and other lists of names with values.
    Rule(
        "named-secret",
        "value",
        rf"(?i)value[\"']?[ \t]{{0,3}}[:=][ \t]{{0,4}}{_VALUE}",
        is_named_value,
        is_short=True,
        signs="=:",
        signs_within=10,  # not "ValueError:"
    ),
    Rule("bearer-token", "bearer", r"(?i)bearer[ \t]{1,4}([A-Za-z0-9._~+/-]{20,}={0,2})", is_borne),
    Rule(
        "assigned-secret",
        "pass pwd secret token api credential access account admin app_ app- appk auth client encryption master "
        "private shared signing",
        rf"(?i)({NAME}){_ASSIGNS}{_VALUE}",
        is_assigned,
        is_short=True,
        signs="=:",
        signs_within=24,  # the longest name, a quotation mark, four blanks and two signs
    ),
    Rule(
        "password-in-prose",
        "passw passphrase passe kennwort contrase senha wachtwoord hasło парол 密码 密碼 パスワード 비밀번호",
        r"(?i)(?:passw(?:or)?[dt]|passphrase|passe|kennwort|contraseña|senha|wachtwoord|hasło|парол[ьяюе]|密[码碼]"
        rf"|パスワード|비밀번호)(?:{_BLANK}[^\s:=]{{1,20}}){{0,7}}?(?:{_BLANK}{{0,2}}[:：]"
        rf"|{_BLANK}?(?:是|为|為|は|는|은)|{_BLANK}(?:is|was|lautet|ist|es|remains|est|era|é|è|jest|это|[-–—=]))"
        rf"{_BLANK}{{0,2}}(?:[\"'`「“]|«{_BLANK}?)?"
        r"([^\s\"'`<>{}「」“”«»]{5,63}[^\s\"'`<>{}「」“”«».,;:!?)。，])",
        is_said_password,
        is_short=True,
    ),
    Rule(
        "token-in-prose",
        "token key secret seed",
        r"(?i)(?:token|key|secret|seed)(?:(?:[ \t][\w.-]{1,16}){0,6}?(?:[ \t](?:is|was):?|:))?"
        r"[ \t]{1,2}[\"'`]?([A-Za-z0-9_.+/=-]{19,255}[A-Za-z0-9_+/=-])(?![\w@])",
        is_granting,
        is_code=True,
    ),
    # A prefix and a random part: what most services give out. Any needle is in most texts.
    Rule(
        "token",
        "- _",
        r"(?:(?<![\w/.=+\\-])|(?<=\\[nrt]))"
        r"(([A-Za-z][A-Za-z0-9]{1,11}(?:[_-][A-Za-z0-9]{2,10}){0,2}[_-])([A-Za-z0-9]{32,256}))(?![\w+/-])",
        is_prefixed,
        longest_word=35,
        is_mixed=True,
        quick=r"[_-][A-Za-z0-9]{32}",
    ),
)
