import type { SourceCertificate } from '../contract/commands/imports.ts'
import type { CpanelTexts } from './cpanel-texts.ts'
import { certificateIn } from './source-parts.ts'
import { isDomain } from './text.ts'
import { textAt } from './yaml.ts'

/** Certificates with their keys: one file a domain, or the three of older versions. */
export function certificatesOf(texts: CpanelTexts): SourceCertificate[] {
  const found = new Map<string, SourceCertificate>()
  for (const { name, text } of texts.below('apache_tls/')) add(found, name, text, text)
  for (const { name, text } of texts.below('sslcerts/')) {
    const domain = name.replace(/\.crt$/, '')
    const named = textAt(
      texts.userdata(`${domain}_SSL`)?.yaml ?? { values: new Map(), ignored: [] },
      'sslcertificatekeyfile',
    )
    const own = named && texts.of(`sslkeys/${named.split('/').at(-1)}`)
    const bundle = texts.of(`sslcerts/${domain}.cabundle`) ?? ''
    if (name.endsWith('.crt')) add(found, domain, `${text}\n${bundle}`, own || texts.of(`sslkeys/${domain}.key`) || '')
  }
  return [...found.values()]
}

function add(found: Map<string, SourceCertificate>, name: string, text: string, keys: string): void {
  const domain = name.toLowerCase()
  const certificate = certificateIn(domain, text, keys)
  if (certificate && !found.has(domain) && isDomain(domain)) found.set(domain, certificate)
}
