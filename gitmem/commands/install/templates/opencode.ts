// gitmem's plugin for OpenCode: passes events to `gitmem hook opencode`, and shows its answers to the agent.
// Nothing here fails a turn: gitmem logs errors, and `gitmem doctor` shows them.
import { spawn } from "node:child_process"

const TOOLS = ["bash", "read", "grep", "glob", "edit", "write", "patch", "apply_patch"]
// The system prompts with which OpenCode makes titles and compacts sessions.
const NO_AGENT = /^You are a (title generator|context summarization agent|helpful AI assistant tasked with summariz)/
@WORDS@
@ASK@

function cut(value) {
  return typeof value === "string" ? value.slice(-CHARACTERS_AT_MOST) : value
}

export const Gitmem = async ({ directory }) => {
  // The system prompt is rebuilt for every request: the context of a session's start is fetched once and added each time.
  const started = new Map()
  // What the agent does not wait for; a short session must not end before it.
  const waiting = new Set()
  const tell = (told) => {
    const asked = ask(told).finally(() => waiting.delete(asked))
    waiting.add(asked)
  }
  return {
    "experimental.chat.system.transform": async (input, output) => {
      const session = input.sessionID
      if (!session || output.system.some((text) => NO_AGENT.test(text))) return
      if (!started.has(session)) {
        const told = { hook: "experimental.chat.system.transform", directory, input: { sessionID: session } }
        started.set(session, ask(told))
      }
      const context = await started.get(session)
      if (context) output.system.push(context)
    },
    "chat.message": async (input, output) => {
      const parts = output.parts.filter((part) => part.type === "text" && !part.synthetic)
      const texts = parts.map((part) => ({ type: "text", text: cut(part.text) }))
      if (!texts.length) return
      const context = await ask({
        hook: "chat.message",
        directory,
        input: { sessionID: input.sessionID, messageID: input.messageID },
        output: { parts: texts },
      })
      if (!context) return
      output.parts.push({
        id: `prt_gitmem${Date.now().toString(36)}`,
        sessionID: input.sessionID,
        messageID: output.message?.id ?? input.messageID,
        type: "text",
        text: context,
        synthetic: true,
      })
    },
    "tool.execute.after": async (input, output) => {
      if (!TOOLS.includes(input.tool)) return
      const told = {
        hook: "tool.execute.after",
        directory,
        input: { tool: input.tool, sessionID: input.sessionID, callID: input.callID, args: input.args },
      }
      if (input.tool === "bash") told.output = { output: cut(output.output), metadata: { exit: output.metadata?.exit } }
      // What is known about a file or a failure is shown with what the tool says.
      const context = await ask(told)
      if (context) output.output = `${output.output ?? ""}\n\n${context}`
    },
    // Each text of the agent, as it ends: an idle session no longer says what it answered.
    "experimental.text.complete": async (input, output) => {
      if (!WORDS.test(output.text ?? "")) return
      const { sessionID, messageID, partID } = input
      const told = { hook: "experimental.text.complete", directory, input: { sessionID, messageID, partID } }
      tell({ ...told, output: { text: cut(output.text) } })
    },
    "experimental.session.compacting": async (input, output) => {
      const told = { hook: "experimental.session.compacting", directory, input: { sessionID: input.sessionID } }
      const context = await ask(told)
      if (context) output.context.push(context)
    },
    event: async ({ event }) => {
      if (event.type !== "session.idle") return
      tell({ hook: "session.idle", directory, event: { type: event.type, properties: event.properties } })
    },
    dispose: async () => {
      await Promise.all(waiting)
      await Promise.all([...started.keys()].map((sessionID) => ask({ hook: "dispose", directory, input: { sessionID } })))
    },
  }
}
