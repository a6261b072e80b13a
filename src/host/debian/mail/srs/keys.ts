import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { day } from '../../../../shared/time.ts'
import { writeFile } from '../../write-file.ts'
import { MAX_AGE_DAYS } from './addresses.ts'

/** A new key is made this often. It also ends addresses that carry no date. */
const ROTATION_DAYS = 90
const KEY_BYTES = 32

interface Stored {
  /** In base64. */
  readonly current: string
  readonly former?: string
  readonly since: number
}

/** The machine's keys for rewritten senders, in a file that only root reads. */
export class SenderKeys {
  readonly #file: string
  readonly #now: () => number
  #stored: Stored | undefined

  constructor(file: string, now: () => number) {
    this.#file = file
    this.#now = now
  }

  /** The present key, and the former one while addresses that it made are accepted. */
  readonly all = (): readonly Buffer[] => {
    const { current, former, since } = this.#current()
    const isAccepted = former !== undefined && this.#now() - since <= MAX_AGE_DAYS * day
    return [current, ...(isAccepted ? [former] : [])].map((key) => Buffer.from(key, 'base64'))
  }

  #current(): Stored {
    const stored = this.#stored ?? storedIn(this.#file)
    const isDue = !stored || this.#now() - stored.since > ROTATION_DAYS * day
    this.#stored = isDue ? this.#renewed(stored) : stored
    return this.#stored
  }

  /** A full disk must not stop forwarding: the former key goes on until there is room. */
  #renewed(former: Stored | undefined): Stored {
    try {
      return this.#renew(former)
    } catch (error) {
      if (!former) throw error
      process.stderr.write(`error: ${this.#file} could not be renewed: ${(error as Error).message}\n`)
      return former
    }
  }

  /** Stored before it is used: what it makes must be accepted after a restart. */
  #renew(former: Stored | undefined): Stored {
    const current = randomBytes(KEY_BYTES).toString('base64')
    const renewed = { current, ...(former && { former: former.current }), since: this.#now() }
    writeFile(this.#file, `${JSON.stringify(renewed)}\n`, 0o600)
    return renewed
  }
}

const isKey = (value: unknown): value is string =>
  typeof value === 'string' && Buffer.from(value, 'base64').length === KEY_BYTES

function storedIn(file: string): Stored | undefined {
  try {
    const { current, former, since } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Stored>
    if (!isKey(current) || !Number.isSafeInteger(since)) return undefined
    return { current, since: since!, ...(isKey(former) && { former }) }
  } catch {
    return undefined
  }
}
