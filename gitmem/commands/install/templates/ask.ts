const TIMEOUT_MS = 5000
const CHARACTERS_AT_MOST = 100000
// What the child has written is read within this time after its end; a process that it left may hold the pipe for longer.
const LAST_MS = 50
// Sessions in which gitmem did not answer in time: it stays out of their way, and said so once.
const silent = new Set()
const LATE = "gitmem did not answer in time and stays silent for the rest of this session: gitmem doctor. Tell the person."

// One call: JSON in, JSON or nothing out.
function ask(told) {
  const session = told.input?.sessionID ?? told.sessionId ?? ""
  if (silent.has(session)) return Promise.resolve("")
  return new Promise((resolve) => {
    let answer = ""
    let isLate = false
    const done = () => {
      clearTimeout(timer)
      if (isLate) {
        const isFirst = !silent.has(session)
        silent.add(session)
        return resolve(isFirst ? LATE : "")
      }
      try {
        const context = JSON.parse(answer).context
        resolve(typeof context === "string" ? context : "")
      } catch {
        resolve("")
      }
    }
    let timer
    try {
      const hook = spawn("gitmem", ["hook", @CLIENT@], { cwd: told.@FOLDER@, stdio: ["pipe", "pipe", "ignore"] })
      timer = setTimeout(() => {
        isLate = true
        hook.kill("SIGKILL")
        hook.stdout.destroy()
        done()
      }, TIMEOUT_MS)
      hook.on("error", () => {
        clearTimeout(timer)
        resolve("")
      })
      hook.on("close", done)
      hook.on("exit", () => setTimeout(done, LAST_MS))
      hook.stdout.setEncoding("utf8")
      hook.stdout.on("data", (part) => {
        if (answer.length < CHARACTERS_AT_MOST) answer += part
      })
      hook.stdin.on("error", () => {})
      hook.stdin.end(JSON.stringify(told))
    } catch {
      clearTimeout(timer)
      resolve("")
    }
  })
}
