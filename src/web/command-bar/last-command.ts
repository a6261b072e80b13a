import type { PanelRequest } from '../panel-request.ts'
import type { CommandHint } from './command-bar.tsx'

const MAX_COMMANDS = 500
const MAX_COMMAND_BYTES = 64 * 1024
const MAX_TOTAL_BYTES = 4 * 1024 * 1024

interface LastCommand {
  readonly hint: CommandHint
  readonly size: number
  readonly session: string | undefined
}

/** What each session ran last, for the page that confirms it. Never in an address: those are kept in histories. */
export class LastCommands {
  readonly #commands = new Map<string, LastCommand>()
  #size = 0

  /** Stores it for the page that the browser is redirected to. */
  keep({ session: { csrf_token: session }, url }: PanelRequest, target: string, hint: CommandHint): void {
    const size = JSON.stringify(hint).length
    if ((hint.panel?.data?.length ?? 0) > MAX_COMMAND_BYTES || size > MAX_TOTAL_BYTES) return
    const key = keyOf(session, new URL(target, url))
    this.#drop(key)
    this.#commands.set(key, { hint, size, session })
    this.#size += size
    for (const oldest of this.#commands.keys()) {
      if (this.#commands.size <= MAX_COMMANDS && this.#size <= MAX_TOTAL_BYTES) return
      this.#drop(oldest)
    }
  }

  of({ session, url }: PanelRequest): CommandHint | undefined {
    return comesAfter(url) ? this.#commands.get(keyOf(session.csrf_token, url))?.hint : undefined
  }

  /** Forgets a session on sign-out. */
  forget(session: string): void {
    for (const [key, commands] of this.#commands) if (commands.session === session) this.#drop(key)
  }

  #drop(key: string): void {
    this.#size -= this.#commands.get(key)?.size ?? 0
    this.#commands.delete(key)
  }
}

const comesAfter = ({ searchParams }: URL): boolean => searchParams.has('done')

const keyOf = (session: string | undefined, { pathname, searchParams }: URL): string =>
  JSON.stringify([session, pathname, searchParams.get('done'), searchParams.get('job')])
