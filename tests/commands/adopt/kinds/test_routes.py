"""Routes: which statements name them, and how frameworks register them."""

import pytest
from conftest import commit_files
from support.each import each

from gitmem.commands.adopt.documents import Document
from gitmem.commands.adopt.findings import FALSE
from gitmem.commands.adopt.kinds.routes import route_claims, routes_in
from gitmem.commands.adopt.run import adopt
from gitmem.commands.adopt.statements import split
from gitmem.git import Git
from gitmem.git.repository import discover


@each(
    ("text", "names"),
    [
        ("- `GET /api/users/{id}`, POST `/users?x=1`, `PUT http://localhost:80/a/:b`", [
            "GET /api/users/{}", "POST /users", "PUT /a/{}",
        ]),
        ("| Method | Path |\n|---|---|\n| `DELETE` | `/users/<int:id>` |", ["DELETE /users/{}"]),
        ("```http\nGET /api/users HTTP/1.1\n```\n\n```sh\ncurl -X POST http://localhost:8000/api/users -d x\n```", [
            "GET /api/users", "POST /api/users",
        ]),
        ("- GET /{all}, `GET /a/...`, the GET method, `get /x`", []),
    ],
)  # fmt: skip
def test_method_with_a_path_is_a_claim(text, names):
    found = [one for statement in split(text) for one in route_claims(statement, Document("x.md", "guide", ""))]

    assert [one.name for one in found] == names


@each(
    ("path", "text", "found"),
    [
        ("a.py", '@app.get("/users/{id}")', ["GET users/{} whole"]),
        ("a.py", 'r = APIRouter(prefix="/users")\n\n@r.post("/{id}")', ["POST users/{}"]),
        ("a.py", '@bp.route("/users", methods=["GET", "POST"])', ["GET users", "POST users"]),
        ("a.py", 'path("users/<int:pk>/", views.user),', ["ANY users/{}"]),
        ("a.ts", "app.get('/users/:id', one)", ["GET users/{} whole"]),
        ("a.ts", "userRouter.delete('/:id', one)", ["DELETE {}"]),
        ("a.ts", "axios.get('/users'); client.post('/users')", []),
        ("a.ts", "@Controller('users')\nclass A {\n  @Get(':id')\n  a() {}\n  @Post()\n  b() {}", [
            "GET users/{}", "POST users",
        ]),
        ("a.go", 'v1 := r.Group("/v1")\nv1.GET("/users/:id", h)', ["GET v1/users/{}"]),
        ("a.go", 'mux.HandleFunc("POST /users", h)', ["POST users"]),
        ("a.rs", '.route("/users/:id", get(one).delete(two))', ["GET users/{}", "DELETE users/{}"]),
        ("a.rs", '#[get("/users/{id}")]', ["GET users/{}"]),
        ("A.java", '@RequestMapping("/users")\nclass A {\n  @GetMapping("/{id}")\n  @PostMapping\n', [
            "GET users/{}", "POST users",
        ]),
        ("A.cs", '[Route("api/users")]\n[HttpGet("{id}")]', ["GET api/users/{}"]),
        ("config/routes.rb", "get '/health', to: 'x#y'", ["GET health"]),
        ("routes.php", "Route::post('/users', [A::class, 'b']);", ["POST users"]),
        ("src/app/(main)/api/users/[id]/route.ts", "export async function GET() {}\nexport const PUT = 1", [
            "GET api/users/{} whole", "PUT api/users/{} whole",
        ]),
        ("pages/api/users/[id].ts", "export default x", ["ANY api/users/{} whole"]),
    ],
)  # fmt: skip
def test_registration_is_found(path, text, found):
    routes = [f"{one.method} {'/'.join(one.parts)}{' whole' * one.is_whole}" for one in routes_in(path, text)]

    assert routes == found


def test_resources_of_rails_have_all_methods():
    found = {(one.method, one.parts) for one in routes_in("config/routes.rb", "  resources :users\n")}

    assert {("POST", ("users",)), ("PATCH", ("users", "{}"))} < found


@pytest.mark.parametrize(
    ("prefix", "false"), [("BASE", []), ('"/api/orders"', ["GET /api/invoices/{id}"])], ids=["a constant", "another"]
)
def test_route_below_a_prefix_in_a_constant_is_not_judged(repo, prefix, false):
    java = '@RequestMapping(%s)\nclass A {\n  @GetMapping("/{id}") String get() {}\n}\n'
    commit_files(repo, {"AGENTS.md": "- `GET /api/invoices/{id}`\n", "src/A.java": java % '"/api/invoices"'})
    constant = '  static final String BASE = "/api/invoices";\n' if prefix == "BASE" else ""
    commit_files(repo, {"src/A.java": java % prefix + constant})
    handle = Git(discover(repo))

    assert [one.claim.token for one in adopt(handle, handle.resolve("HEAD"), kinds={"route"}).of(FALSE)] == false
