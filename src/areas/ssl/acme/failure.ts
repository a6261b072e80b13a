import { OutgoingError } from '../../../outgoing/client.ts'
import { JobError } from '../../../runtime/jobs/job-kind.ts'
import { AcmeError } from './error.ts'

const unreached: Readonly<Record<OutgoingError['kind'], string>> = {
  timeout: 'The certificate authority did not answer in time.',
  dns: 'The address of the certificate authority could not be found.',
  connect: 'The certificate authority could not be reached.',
  tls: 'The certificate authority could not be trusted: its address shows another certificate. See acme_ca.',
  answer: 'The answer of the certificate authority was not understood.',
  'blocked-address': 'The certificate authority may not be reached at its address.',
}

/** The message for a failed order; undefined if the order is not at fault. */
export function sentenceOf(error: unknown): JobError | undefined {
  if (error instanceof AcmeError) return new JobError(ended(error.message), true)
  return error instanceof OutgoingError ? new JobError(unreached[error.kind], true) : undefined
}

const ended = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)
