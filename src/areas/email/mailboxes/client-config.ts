import { createHash } from 'node:crypto'
import type * as declared from '../../../contract/email.ts'
import type { Handler } from '../../../runtime/operations/run.ts'
import {
  autoconfig,
  autodiscover,
  incoming,
  type MailService,
  outgoing,
  xml,
  xmlHead,
} from '../../../shared/mail-programs.ts'
import { mailServerOf } from '../../domains/mail-names.ts'
import { domainById } from '../../domains/store.ts'
import { currentAddress } from './change.ts'

/** Stable per mailbox, so that reinstalling a profile replaces the former one. */
function uuidOf(id: string, purpose: string): string {
  const hex = createHash('sha256').update(`${id} ${purpose}`).digest('hex')
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)]
  return parts.join('-').toUpperCase()
}

type Value = string | number | boolean
const entry = ([key, value]: [string, Value]): string => {
  if (typeof value === 'boolean') return xml`<key>${key}</key><${String(value)}/>`
  return typeof value === 'number'
    ? xml`<key>${key}</key><integer>${value}</integer>`
    : xml`<key>${key}</key><string>${value}</string>`
}
const dict = (values: Record<string, Value>, more = ''): string =>
  `<dict>\n${[...Object.entries(values).map(entry), ...(more ? [more] : [])].join('\n')}\n</dict>`

const serverOf = (name: string, { host, port }: MailService, address: string): Record<string, Value> => ({
  [`${name}MailServerAuthentication`]: 'EmailAuthPassword',
  [`${name}MailServerHostName`]: host,
  [`${name}MailServerPortNumber`]: port,
  [`${name}MailServerUseSSL`]: true,
  [`${name}MailServerUsername`]: address,
})

/** The format of Apple's mail apps; they prompt for the password. */
function mobileconfig(
  address: string,
  id: string,
  [imap]: readonly MailService[],
  [smtp]: readonly MailService[],
): string {
  const common = { PayloadVersion: 1, PayloadDisplayName: address }
  const account = dict({
    ...common,
    PayloadType: 'com.apple.mail.managed',
    PayloadIdentifier: `mail.${id}.account`,
    PayloadUUID: uuidOf(id, 'account'),
    EmailAccountType: 'EmailTypeIMAP',
    EmailAddress: address,
    EmailAccountDescription: address,
    ...serverOf('Incoming', imap!, address),
    ...serverOf('Outgoing', smtp!, address),
    OutgoingPasswordSameAsIncomingPassword: true,
  })
  const profile = dict(
    { ...common, PayloadType: 'Configuration', PayloadIdentifier: `mail.${id}`, PayloadUUID: uuidOf(id, 'profile') },
    `<key>PayloadContent</key><array>\n${account}\n</array>`,
  )
  const doctype =
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">'
  return `${xmlHead}${doctype}\n<plist version="1.0">\n${profile}\n</plist>\n`
}

export const getMailboxClientConfig: Handler<typeof declared.getMailboxClientConfig> = {
  handle(ctx) {
    const address = currentAddress(ctx)
    const domain = domainById(ctx.db, ctx.found.mailbox.domain_id)!
    const host = mailServerOf(ctx.runtime, ctx.db, domain)
    const [receive, send] = [incoming(host), outgoing(host)]
    return {
      address,
      login: address,
      incoming: receive,
      outgoing: send,
      autoconfig: autoconfig(address, domain.name, host),
      autodiscover: autodiscover(xml`<LoginName>${address}</LoginName>`, host),
      mobileconfig: mobileconfig(address, ctx.found.mailbox.id, receive, send),
    }
  },
}
