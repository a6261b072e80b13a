import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { writePrivate } from '../../../shared/files.ts'
import { isLater } from '../../../shared/life.ts'
import { isReign } from '../protocol/hello.ts'
import type { Reign } from '../protocol/messages.ts'

const place = 'var/lib/panel-host/reign'

/** The server that this host obeys: the latest that ever connected. */
export class Obeyed {
  readonly #file: string
  #life: string | undefined

  constructor(root: string) {
    this.#file = join(root, place)
  }

  /** The reign that outranks a server; undefined if that server is the one to obey, from now on. */
  outranking(told: Reign): Reign | undefined {
    const known = this.#read()
    const isSame = known?.server === told.server
    if (isSame && isLater(known, told)) return known
    if (!isSame || isLater(told, known)) this.#write(told)
    this.#life = told.life
    return undefined
  }

  /** The life of the store to obey; undefined before its server has introduced itself. */
  get life(): string | undefined {
    return this.#life
  }

  #read(): Reign | undefined {
    try {
      const known: unknown = JSON.parse(readFileSync(this.#file, 'utf8'))
      return isReign(known) ? known : undefined
    } catch (error) {
      if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  /** Fsynced: the old server stays refused even after a power loss. */
  #write({ server, epoch, life, proof }: Reign): void {
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 })
    writePrivate(this.#file, JSON.stringify({ server, epoch, life, proof }))
  }
}
