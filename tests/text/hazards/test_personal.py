"""Personal data in prose is found, and what only looks like it is not."""

from __future__ import annotations

from support.each import each

from gitmem.text.hazards.personal import find_personal


@each(
    ("text", "found"),
    [
        ("the admin logs in with the password Sommer2024, ask first", "a password"),
        ("Das Passwort für den Testnutzer lautet hunter-zwei-77", "a password"),
        ("测试账号的密码是 tianxia888，每周一重置", "a password"),
        ("la contraseña del usuario de pruebas es gato-azul-9", "a password"),
        ("the customer is jane.doe@initech.com", "an e-mail address"),
        ("the on-call number is +49 170 5551234", "a telephone number"),
        ("call Peter at (415) 555-0134 when it is locked", "a telephone number"),
        ("Tel. 0171 2345678 is the on-call", "a telephone number"),
        ("IBAN DE89 3704 0044 0532 0130 00 pays the server", "a bank account"),
        ("GB82WEST12345698765432 gets the refunds", "a bank account"),
        ("IBAN ES91 2100 0418 4502 0005 1332 BIC CAIXESBB", "a bank account"),
        ("pay to ES91 2100 0418 4502 0005 1332 CAIXESBBXXX", "a bank account"),
        ("NO93 8601 1117 947 IN EUR", "a bank account"),
        ("the company pays with 5424 1802 7979 1732", "a card number"),
        ("3714-496353-98431 is for the cloud", "a card number"),
        ("the cache runs on 10.20.30.40", "an address of a private network"),
        ("ssh to 192.168.7.12 first", "an address of a private network"),
    ],
)
def test_personal_data_is_named(text: str, found: str) -> None:
    assert find_personal(text) == [found]


@each(
    "text",
    [
        "passwords are hashed with argon2 and never logged",
        "the password is read from the environment",
        "the password is bcrypt2 hashed",
        "the sender must be user@example.com",
        "clone git@github.com:acme/app.git",
        "mails go to test@mail.localhost",
        "the dev server binds to 127.0.0.1",
        "the pods are in 10.0.0.0/8",
        "release 2026.11.28.1 broke order 5551234567",
        "retry after 1200 300 4500 ms, then 3200 4500 6100 5300",
        "card 4111 1111 1111 1111 and 4242-4242-4242-4242 are for tests",
        "DE89 3704 0044 0532 0130 01 has wrong check digits, AB12 CDEF GHIJ KLMN is a licence",
    ],
)
def test_other_text_is_not(text: str) -> None:
    assert find_personal(text) == []
