import { minuteText } from '../../../shared/time.ts'
import type { Mail } from '../../mailer/compose.ts'

interface Facts {
  readonly username: string
  readonly server: string
  readonly url: string
  readonly until: number
}

type Text = Pick<Mail, 'subject' | 'text'>

const english = ({ username, server, url, until }: Facts): Text => ({
  subject: `Set a new password for ${username}`,
  text: `A new password was requested for ${username} on ${server}.

Open this link to choose one. It works once, until ${minuteText(until)}:

${url}

All sessions of ${username} end when the password is changed. If you did not request this, ignore this message: the password stays as it is.
`,
})

const german = ({ username, server, url, until }: Facts): Text => ({
  subject: `Neues Passwort für ${username} festlegen`,
  text: `Für ${username} auf ${server} wurde ein neues Passwort angefordert.

Über diesen Link legen Sie es fest. Er funktioniert einmal, bis ${minuteText(until)}:

${url}

Mit dem neuen Passwort enden alle Sitzungen von ${username}. Wenn Sie das nicht angefordert haben, ignorieren Sie diese Nachricht: Das Passwort bleibt, wie es ist.
`,
})

/** In the account's language if there is a translation, else in English. */
export const letterOf = (locale: string, facts: Facts): Text => (locale === 'de' ? german : english)(facts)
