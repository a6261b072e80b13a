/** A mail server's service, as mail programs are told of it. */
export interface MailService {
  readonly protocol: 'imap' | 'pop3' | 'smtp'
  readonly host: string
  readonly port: number
  readonly security: 'tls' | 'starttls'
}

export const incoming = (host: string): MailService[] => [
  { protocol: 'imap', host, port: 993, security: 'tls' },
  { protocol: 'pop3', host, port: 995, security: 'tls' },
]
export const outgoing = (host: string): MailService[] => [
  { protocol: 'smtp', host, port: 465, security: 'tls' },
  { protocol: 'smtp', host, port: 587, security: 'starttls' },
]

const servicesOf = (host: string): MailService[] => [...incoming(host), ...outgoing(host)]

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}
const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => entities[char]!)

/** An XML template that escapes its values; what is in a list is XML already. */
export const xml = (
  { raw }: TemplateStringsArray,
  ...values: readonly (string | number | readonly string[])[]
): string =>
  String.raw({ raw }, ...values.map((value) => (Array.isArray(value) ? value.join('\n') : escaped(String(value)))))

export const xmlHead = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** Thunderbird's format. */
export function autoconfig(username: string, domain: string, host: string): string {
  const server = ({ protocol, host, port, security }: MailService): string => {
    const kind = protocol === 'smtp' ? 'outgoingServer' : 'incomingServer'
    const socket = security === 'tls' ? 'SSL' : 'STARTTLS'
    return xml`    <${kind} type="${protocol}"><hostname>${host}</hostname><port>${port}</port><socketType>${socket}</socketType><authentication>password-cleartext</authentication><username>${username}</username></${kind}>`
  }
  return `${xmlHead}${xml`<clientConfig version="1.1">
  <emailProvider id="${domain}">
    <domain>${domain}</domain>
    <displayName>${domain}</displayName>
${servicesOf(host).map(server)}
  </emailProvider>
</clientConfig>
`}`
}

const outlook = 'http://schemas.microsoft.com/exchange/autodiscover'

/** Outlook's format; `login` is the element that names the user, in XML. */
export function autodiscover(login: string, host: string): string {
  const server = ({ protocol, host, port }: MailService): string =>
    xml`      <Protocol><Type>${protocol.toUpperCase()}</Type><Server>${host}</Server><Port>${port}</Port>${[login]}<SPA>off</SPA><SSL>on</SSL><AuthRequired>on</AuthRequired></Protocol>`
  return `${xmlHead}${xml`<Autodiscover xmlns="${outlook}/responseschema/2006">
  <Response xmlns="${outlook}/outlook/responseschema/2006a">
    <Account>
      <AccountType>email</AccountType>
      <Action>settings</Action>
${servicesOf(host)
  .filter(({ security }) => security === 'tls')
  .map(server)}
    </Account>
  </Response>
</Autodiscover>
`}`
}

/** What Outlook gets that asks for ActiveSync. */
export const noActiveSync = `${xmlHead}${xml`<Autodiscover xmlns="${outlook}/responseschema/2006">
  <Response>
    <Error Time="00:00:00.0000000" Id="0">
      <ErrorCode>601</ErrorCode>
      <Message>Provider is not available</Message>
      <DebugData/>
    </Error>
  </Response>
</Autodiscover>
`}`
