"""Questions in scripts without spaces, and in signs: what people type finds the right one of ten memories."""

from __future__ import annotations

from pathlib import Path

from support.facts import make_memory, put

from gitmem.memory import Memory

MEMORIES = {
    "pool": ("数据库连接池最多二十个连接", "连接用完后请求会等待五秒，然后报错。"),
    "gateway": ("网关超时设置为三十秒", "支付服务偶尔需要更长时间，不要降低。"),
    "release": ("发布前必须运行回归测试", "上个月漏掉了登录页面的错误。"),
    "timezone": ("所有时间以协调世界时保存", "显示时再转换为用户所在时区。"),
    "cache": ("缓存键包含租户编号", "否则一个客户会看到另一个客户的数据。"),
    "backup": ("毎晩二時にバックアップを取る", "復元の手順は手順書にある。"),
    "deploy": ("本番環境への配備は金曜日にしない", "週末は担当者がいない。"),
    "login": ("ログイン画面は二段階認証を使う", "電話番号の変更は窓口で行う。"),
    "korean": ("결제 서버는 재시도를 세 번 한다", "그 다음에는 관리자에게 알린다."),
    "rocket": ("What the bot sets", "🚀 means a release to production."),
}


QUESTIONS = {
    "连接池多大": "pool", "数据库连接不够怎么办": "pool", "网关多久超时": "gateway",
    "上线发布前要做什么测试": "release",
    "时区怎么处理": "timezone", "租户的缓存": "cache", "库": "pool", "バックアップは何時": "backup",
    "金曜日に配備できるか": "deploy", "二段階認証の画面": "login", "재시도 몇 번": "korean", "🚀": "rocket", "港": "",
}  # fmt: skip


def test_questions_find_the_memory_that_answers_them(repo: Path) -> None:
    put(repo, *(make_memory(key, title, body) for key, (title, body) in MEMORIES.items()))

    with Memory(repo) as memory:
        found = {text: [hit.key for hit in memory.recall(text).hits][:1] for text in QUESTIONS}

    assert found == {text: [key] if key else [] for text, key in QUESTIONS.items()}
