import type { KeyObject } from 'node:crypto'
import { Problem } from '../../contract/problem.ts'
import { JobError, type RunningJob } from '../../runtime/jobs/job-kind.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { namesOf } from '../domains/names.ts'
import type { DomainRow } from '../domains/tables.ts'
import { type Authority, openAuthority } from './acme/authority.ts'
import { AcmeError } from './acme/error.ts'
import { type Challenge, orderCertificate, type Proof } from './acme/order.ts'
import type { Issued } from './activate.ts'
import { covers } from './certificate.ts'
import { signingRequest } from './csr.ts'
import { type NewKeyType, newKey, pemOfKey } from './key.ts'
import { type ValidatedUpload, validateUpload } from './validate-upload.ts'

export interface CertificateRequest {
  readonly domain: DomainRow
  /** All must be proven; if undefined, those served, and of the others only what can be proven. */
  readonly names: readonly string[] | undefined
  /** Names for mail that lead here: they are left out where they cannot be proven. */
  readonly mailNames: readonly string[]
  readonly challenge: Challenge
  readonly key_type: NewKeyType
  readonly publish: (proofs: readonly Proof[]) => Promise<void>
}

/** Orders a certificate, and validates it like an uploaded one. */
export async function obtain(runtime: Runtime, job: RunningJob, request: CertificateRequest): Promise<Issued> {
  const authority = await openAuthority(runtime, job.signal)
  const { domain, mailNames } = request
  if (request.names) return order(runtime, job, authority, request, request.names)
  return orderProven(runtime, job, authority, request, [...namesOf(domain), ...mailNames])
}

/** Leaves out one name after the other that cannot be proven, but never the domain itself. */
async function orderProven(
  runtime: Runtime,
  job: RunningJob,
  authority: Authority,
  request: CertificateRequest,
  names: readonly string[],
): Promise<Issued> {
  try {
    return await order(runtime, job, authority, request, names)
  } catch (error) {
    const unproven = error instanceof AcmeError ? error.domain : undefined
    if (unproven === undefined || unproven === request.domain.name || !names.includes(unproven)) throw error
    job.log(`${unproven} is left out: ${(error as AcmeError).message}`, 'warn')
    const left = names.filter((name) => name !== unproven)
    return orderProven(runtime, job, authority, request, left)
  }
}

async function order(
  runtime: Runtime,
  job: RunningJob,
  authority: Authority,
  { domain, challenge, key_type, publish }: CertificateRequest,
  names: readonly string[],
): Promise<Issued> {
  const key = await newKey(key_type)
  const chain = await orderNames(runtime, job, authority, { names, about: domain.name, challenge, key, publish })
  return { kind: 'acme', chain, key }
}

export interface NamesToSecure {
  readonly names: readonly string[]
  /** The name that must be covered, whatever else the authority omits. */
  readonly about: string
  readonly challenge: Challenge
  readonly key: KeyObject
  readonly publish: (proofs: readonly Proof[]) => Promise<void>
}

/** Orders a certificate for a key; returns its chain, which is valid and covers every name. */
export async function orderNames(
  { clock }: Runtime,
  { signal, log }: RunningJob,
  { client, accountKey }: Authority,
  { names, about, challenge, key, publish }: NamesToSecure,
): Promise<ValidatedUpload['chain']> {
  const request = await signingRequest(key, names)
  log(`Ordering a certificate for ${names.join(', ')}`)
  const pem = await orderCertificate(client, { names, challenge, request, accountKey, clock, signal, publish })
  const { chain } = validated(() =>
    validateUpload({ certificate: pem, private_key: pemOfKey(key) }, about, clock.now()),
  )
  const missing = names.find((name) => !covers(chain[0].names, name))
  if (missing !== undefined) throw new JobError(`The certificate that was issued does not cover ${missing}.`, true)
  return chain
}

function validated<T>(judging: () => T): T {
  try {
    return judging()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const [problem] = Object.entries(error.fields ?? {}).map((field) => field.join(' '))
    throw new JobError(`The certificate that was issued cannot be used: ${problem ?? error.message}.`, true)
  }
}
