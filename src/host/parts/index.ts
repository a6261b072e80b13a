import { apps } from './apps.ts'
import { cron } from './cron.ts'
import { db } from './db/index.ts'
import { dns } from './dns/index.ts'
import { ftp } from './ftp/index.ts'
import { limits } from './limits.ts'
import { mail } from './mail/index.ts'
import type { Part } from './part.ts'
import { php } from './php/index.ts'
import { ssh } from './ssh.ts'
import { tls } from './tls.ts'
import { users } from './users.ts'
import { web } from './web/index.ts'

/** All parts, in the order of application. */
export const parts = [users, limits, php, tls, web, dns, mail, db, ftp, ssh, cron, apps] as const

type Listed = (typeof parts)[number]
type StateOf<Which> = Which extends Part<string, infer State> ? State : never

/** What a job can reconcile with the store. */
export type HostArea = Listed['name']

/** The parts' input about an account, by part name; a part without a state has no entry. */
export type HostParts = {
  readonly [Which in Listed as StateOf<Which> extends undefined ? never : Which['name']]: StateOf<Which>
}

/** Any part, for code that treats all alike; each gets the state that it declared. */
// biome-ignore lint/suspicious/noExplicitAny: a list of parts of different states
export type AnyPart = Part<HostArea, any>
