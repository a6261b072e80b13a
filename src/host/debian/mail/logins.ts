import type { Staged } from '../../install/engine.ts'
import type { Run } from '../commands.ts'
import { Logins } from '../logins.ts'
import { dateApart, nextSecond } from './versions.ts'

const folder = 'etc/panel/mail/passwd.d'

/** Call before new logins are moved into place. */
export function dateLogins({ path, staged }: Staged, root = '/'): void {
  if (path.startsWith(`${folder}/`)) dateApart(staged, `${root}${path}`)
}

/** Above this many logins of one domain, handle the whole domain at once. */
const oneByOne = 20
/** None of them has a session. */
const nothingToEnd = [67, 68]

export type EndSessions = (addresses: readonly string[], gone: readonly string[]) => Promise<void>

/** Ends the IMAP and POP3 sessions of mailboxes; `ended` gets their addresses, and those of removed ones. */
export const mailLogins = (run: Run, root?: string, reread = nextSecond, ended: EndSessions = async () => {}): Logins =>
  new Logins({
    name: 'mail-logins',
    folder,
    ...(root !== undefined && { root }),
    reread,
    end: async (locals, domain, gone) => {
      const there = (local: string) => `${local}@${domain}`
      await ended(locals.map(there), gone.map(there))
      for (const local of locals.length > oneByOne ? ['*'] : locals)
        await run('/usr/bin/doveadm', ['kick', `${local}@${domain}`], { fine: nothingToEnd })
    },
  })
