import type { Runtime } from '../../runtime/runtime.ts'
import { getSetting } from '../../runtime/settings/settings.ts'

/** A message before it is encoded. Its HTML is made of the text. */
export interface Mail {
  readonly to: string
  readonly subject: string
  /** Paragraphs are separated by empty lines. */
  readonly text: string
  /** The name beside the sender's address: the brand's. */
  readonly fromName: string
  readonly replyTo?: string | undefined
  /** The page that ends mail of this kind. */
  readonly unsubscribe?: string | undefined
}

/** A message as it is sent, in ASCII. Headers cannot contain newlines: nodemailer encodes or drops them. */
export async function composeMessage(runtime: Runtime, id: string, at: number, mail: Mail): Promise<string> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
  const { to, subject, text, fromName, replyTo, unsubscribe } = mail
  const address = getSetting(runtime.store.db, 'mail_from') ?? `panel@${runtime.hostname}`
  const node = new MailComposer({
    from: { name: oneLine(fromName), address },
    to,
    ...(replyTo ? { replyTo } : {}),
    subject: oneLine(subject),
    text,
    html: htmlOf(text),
    textEncoding: 'quoted-printable',
    date: new Date(at),
    messageId: `<${id}@${runtime.hostname}>`,
    headers: {
      'Auto-Submitted': 'auto-generated',
      ...(unsubscribe ? { 'List-Unsubscribe': `<${unsubscribe}>` } : {}),
    },
    newline: 'unix',
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile()
  return (await node.build()).toString('ascii')
}

const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!)

/** The HTML twin of a text: its paragraphs, and nothing that it contains as markup. */
export function htmlOf(text: string): string {
  const paragraphs = text.split(/\n{2,}/).map((one) => `<p>${linked(escaped(one)).replaceAll('\n', '<br>\n')}</p>`)
  return `<!doctype html>\n<html><body>\n${paragraphs.join('\n')}\n</body></html>\n`
}

/** A line that is an address becomes a link. */
const linked = (line: string): string => line.replace(/^https:\/\/\S+$/gm, (url) => `<a href="${url}">${url}</a>`)
