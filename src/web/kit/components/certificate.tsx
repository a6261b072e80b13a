import { t } from '../i18n/i18n.ts'
import type { Answered } from '../screen.ts'
import { Chip } from './chip.tsx'
import { Day } from './time.tsx'

const tones = { valid: 'good', expiring: 'warn', expired: 'bad' } as const

/** Why browsers warn of a certificate whose dates are valid. */
export const doubtIn = ({ kind, status, trusted }: Answered): 'self_signed' | 'untrusted' | undefined => {
  if (kind === 'self_signed') return 'self_signed'
  return trusted === false && status !== 'expired' ? 'untrusted' : undefined
}

/** A certificate's status; visitors are warned of one that they do not trust, so it is never good. */
export const CertificateChip = ({ certificate }: { certificate: Answered }) => {
  if (!certificate) return <Chip status="off" word="None yet" />
  const doubt = doubtIn(certificate)
  if (doubt) return <Chip status={doubt} tone="warn" word={doubt === 'untrusted' ? 'Untrusted' : 'Self-signed'} />
  return (
    <span title={t('Certificate')}>
      <Chip status={certificate.status} tone={tones[certificate.status as keyof typeof tones]} word="until" />{' '}
      <Day at={certificate.not_after} />
    </span>
  )
}
