import { t } from '../i18n/i18n.ts'
import type { Answered } from '../screen.ts'
import { Chip } from './chip.tsx'
import { Day } from './time.tsx'

const tones = { valid: 'good', expiring: 'warn', expired: 'bad' } as const

/** A certificate's status; visitors are warned of one that they do not trust, so it is never good. */
export const CertificateChip = ({ certificate }: { certificate: Answered }) => {
  if (!certificate) return <Chip status="off" word="None yet" />
  if (certificate.kind === 'self_signed') return <Chip status="self_signed" tone="warn" word="Self-signed" />
  // A certificate of one's own authority, for example.
  if (certificate.trusted === false) return <Chip status="untrusted" tone="warn" word="Not trusted" />
  return (
    <span title={t('Certificate')}>
      <Chip status={certificate.status} tone={tones[certificate.status as keyof typeof tones]} word="until" />{' '}
      <Day at={certificate.not_after} />
    </span>
  )
}
