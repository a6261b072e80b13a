import { createHash } from 'node:crypto'
import type * as declared from '../../../contract/email.ts'
import type { Output } from '../../../contract/operation.ts'
import { servicePorts } from '../../../contract/service-ports.ts'
import type { Handler } from '../../../runtime/operations/run.ts'
import { currentAddress } from './change.ts'

type Config = Output<typeof declared.getMailboxClientConfig>
type Service = Config['incoming'][number]

const incoming = (host: string): Service[] => [
  { protocol: 'imap', host, port: servicePorts.imap, security: 'tls' },
  { protocol: 'pop3', host, port: 995, security: 'tls' },
]
const outgoing = (host: string): Service[] => [
  { protocol: 'smtp', host, port: servicePorts.smtp, security: 'tls' },
  { protocol: 'smtp', host, port: 587, security: 'starttls' },
]

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}
const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => entities[char]!)

/** An XML template that escapes its values. */
const xml = ({ raw }: TemplateStringsArray, ...values: readonly (string | number | readonly string[])[]): string =>
  String.raw({ raw }, ...values.map((value) => (Array.isArray(value) ? value.join('\n') : escaped(String(value)))))

const head = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** Thunderbird's format. */
function autoconfig(address: string, domain: string, services: readonly Service[]): string {
  const server = ({ protocol, host, port, security }: Service): string => {
    const kind = protocol === 'smtp' ? 'outgoingServer' : 'incomingServer'
    const socket = security === 'tls' ? 'SSL' : 'STARTTLS'
    return xml`    <${kind} type="${protocol}"><hostname>${host}</hostname><port>${port}</port><socketType>${socket}</socketType><authentication>password-cleartext</authentication><username>${address}</username></${kind}>`
  }
  return `${head}${xml`<clientConfig version="1.1">
  <emailProvider id="${domain}">
    <domain>${domain}</domain>
    <displayName>${domain}</displayName>
${services.map(server)}
  </emailProvider>
</clientConfig>
`}`
}

const outlook = 'http://schemas.microsoft.com/exchange/autodiscover'

/** Outlook's format. */
function autodiscover(address: string, services: readonly Service[]): string {
  const server = ({ protocol, host, port }: Service): string =>
    xml`      <Protocol><Type>${protocol.toUpperCase()}</Type><Server>${host}</Server><Port>${port}</Port><LoginName>${address}</LoginName><SPA>off</SPA><SSL>on</SSL><AuthRequired>on</AuthRequired></Protocol>`
  return `${head}${xml`<Autodiscover xmlns="${outlook}/responseschema/2006">
  <Response xmlns="${outlook}/outlook/responseschema/2006a">
    <Account>
      <AccountType>email</AccountType>
      <Action>settings</Action>
${services.filter(({ security }) => security === 'tls').map(server)}
    </Account>
  </Response>
</Autodiscover>
`}`
}

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

const serverOf = (name: string, { host, port }: Service, address: string): Record<string, Value> => ({
  [`${name}MailServerAuthentication`]: 'EmailAuthPassword',
  [`${name}MailServerHostName`]: host,
  [`${name}MailServerPortNumber`]: port,
  [`${name}MailServerUseSSL`]: true,
  [`${name}MailServerUsername`]: address,
})

/** The format of Apple's mail apps; they prompt for the password. */
function mobileconfig(address: string, id: string, [imap]: readonly Service[], [smtp]: readonly Service[]): string {
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
  return `${head}${doctype}\n<plist version="1.0">\n${profile}\n</plist>\n`
}

export const getMailboxClientConfig: Handler<typeof declared.getMailboxClientConfig> = {
  handle(ctx) {
    const address = currentAddress(ctx)
    const { hostname } = ctx.runtime
    const [receive, send] = [incoming(hostname), outgoing(hostname)]
    return {
      address,
      login: address,
      incoming: receive,
      outgoing: send,
      autoconfig: autoconfig(address, address.slice(address.indexOf('@') + 1), [...receive, ...send]),
      autodiscover: autodiscover(address, [...receive, ...send]),
      mobileconfig: mobileconfig(address, ctx.found.mailbox.id, receive, send),
    }
  },
}
