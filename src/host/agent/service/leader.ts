import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { writePrivate } from '../../../shared/files.ts'
import { isLater } from '../../../shared/life.ts'
import { isLeadership } from '../protocol/hello.ts'
import type { Leadership } from '../protocol/messages.ts'

const place = 'var/lib/panel-host/reign'

/** The server that this host obeys: the latest that ever connected. */
export class AcceptedLeader {
  readonly #file: string
  #life: string | undefined

  constructor(root: string) {
    this.#file = join(root, place)
  }

  /** The leadership that outranks a server; undefined if that server is the one to obey, from now on. */
  newerLeader(claim: Leadership): Leadership | undefined {
    const known = this.#read()
    const isSame = known?.server === claim.server
    if (isSame && isLater(known, claim)) return known
    if (!isSame || isLater(claim, known)) this.#write(claim)
    this.#life = claim.life
    return undefined
  }

  /** The life of the store to obey; undefined before its server has introduced itself. */
  get life(): string | undefined {
    return this.#life
  }

  #read(): Leadership | undefined {
    try {
      const known: unknown = JSON.parse(readFileSync(this.#file, 'utf8'))
      return isLeadership(known) ? known : undefined
    } catch (error) {
      if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  /** Fsynced: the old server stays refused even after a power loss. */
  #write({ server, epoch, life, proof }: Leadership): void {
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 })
    writePrivate(this.#file, JSON.stringify({ server, epoch, life, proof }))
  }
}
