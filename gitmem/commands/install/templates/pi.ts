// gitmem's extension for pi: passes events to `gitmem hook pi`, and shows its answers to the agent.
// Nothing here fails a turn: gitmem logs errors, and `gitmem doctor` shows them.
import { spawn } from "node:child_process"

const TOOLS = ["bash", "read", "grep", "find", "edit", "write"]
@ASK@

function texts(content) {
  if (typeof content === "string") return content.slice(-CHARACTERS_AT_MOST)
  if (!Array.isArray(content)) return []
  const found = content.filter((part) => part?.type === "text" && typeof part.text === "string")
  return found.map((part) => ({ type: "text", text: part.text.slice(-CHARACTERS_AT_MOST) }))
}

export default function (pi) {
  // The context of a session's start is added to its first prompt: only then is there something to answer.
  let start = ""

  const tell = (type, ctx, told) =>
    ask({
      type,
      cwd: ctx?.cwd ?? process.cwd(),
      sessionId: ctx?.sessionManager?.getSessionId?.() ?? "",
      sessionFile: ctx?.sessionManager?.getSessionFile?.() ?? "",
      ...told,
    })

  // What the agent does not wait for; a short session must not end before it.
  const waiting = new Set()
  const later = (type, ctx, told) => {
    const asked = tell(type, ctx, told).finally(() => waiting.delete(asked))
    waiting.add(asked)
  }

  pi.on("session_start", async (event, ctx) => {
    // A session that `pi -c` continues is a "startup" as well; what it was shown is in its history.
    const history = ctx?.sessionManager?.getBranch?.() ?? []
    const goesOn = event.reason === "startup" && history.some((entry) => entry?.type === "message")
    start = await tell("session_start", ctx, { reason: goesOn ? "resume" : event.reason })
  })
  pi.on("before_agent_start", async (event, ctx) => {
    if (event.messageType === "custom") return
    const found = await tell("before_agent_start", ctx, { messageType: event.messageType, prompt: event.prompt })
    const content = [start, found].filter(Boolean).join("\n\n")
    start = ""
    if (content) return { message: { customType: "gitmem", content, display: false } }
  })
  pi.on("tool_result", async (event, ctx) => {
    const { toolName, toolCallId, input, isError } = event
    if (!TOOLS.includes(toolName)) return
    const told = { toolName, toolCallId, input, isError }
    if (toolName === "bash") told.content = texts(event.content)
    // What is known about a file or a failure is shown with what the tool says.
    const context = await tell("tool_result", ctx, told)
    if (context) return { content: [...(event.content ?? []), { type: "text", text: context }] }
  })
  pi.on("agent_end", async (event, ctx) => {
    const last = (event.messages ?? []).filter((message) => message?.role === "assistant").at(-1)
    const messages = last ? [{ role: "assistant", content: texts(last.content) }] : []
    later("agent_end", ctx, { messages })
  })
  pi.on("session_before_compact", async (_event, ctx) => {
    await tell("session_before_compact", ctx, {})
  })
  pi.on("session_shutdown", async (_event, ctx) => {
    await Promise.all(waiting)
    await tell("session_shutdown", ctx, {})
  })
}
