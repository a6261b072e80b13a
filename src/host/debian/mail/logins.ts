import type { Run } from '../commands.ts'
import { Logins } from '../logins.ts'

/** Beyond so many of one domain, all of it is told at once. */
const oneByOne = 20
/** None of them has a session. */
const nothingToEnd = [67, 68]

/** Ends the IMAP and POP3 sessions of mailboxes. */
export const mailLogins = (run: Run, root?: string): Logins =>
  new Logins({
    name: 'mail-logins',
    folder: 'etc/panel/mail/passwd.d',
    ...(root !== undefined && { root }),
    end: async (locals, domain) => {
      for (const local of locals.length > oneByOne ? ['*'] : locals)
        await run('/usr/bin/doveadm', ['kick', `${local}@${domain}`], { fine: nothingToEnd })
    },
  })
