import type { Told } from './saying.tsx'
import type { Served } from './served.ts'

const most = 500
const largest = 64 * 1024
const mostInAll = 4 * 1024 * 1024

interface Kept {
  readonly told: Told
  readonly size: number
  readonly session: string | undefined
}

/** What each session ran last, for the page that confirms it. Never in an address: those are kept in histories. */
export class Ran {
  readonly #kept = new Map<string, Kept>()
  #size = 0

  /** Stores it for the page that the browser is redirected to. */
  keep({ session: { csrf_token: session }, url }: Served, way: string, told: Told): void {
    const size = JSON.stringify(told).length
    if ((told.panel?.data?.length ?? 0) > largest || size > mostInAll) return
    const key = keyOf(session, new URL(way, url))
    this.#drop(key)
    this.#kept.set(key, { told, size, session })
    this.#size += size
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= most && this.#size <= mostInAll) return
      this.#drop(oldest)
    }
  }

  of({ session, url }: Served): Told | undefined {
    return comesAfter(url) ? this.#kept.get(keyOf(session.csrf_token, url))?.told : undefined
  }

  /** Forgets a session on sign-out. */
  forget(session: string): void {
    for (const [key, kept] of this.#kept) if (kept.session === session) this.#drop(key)
  }

  #drop(key: string): void {
    this.#size -= this.#kept.get(key)?.size ?? 0
    this.#kept.delete(key)
  }
}

const comesAfter = ({ searchParams }: URL): boolean => searchParams.has('done')

const keyOf = (session: string | undefined, { pathname, searchParams }: URL): string =>
  JSON.stringify([session, pathname, searchParams.get('done'), searchParams.get('job')])
