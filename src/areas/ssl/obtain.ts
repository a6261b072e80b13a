import type { KeyObject } from 'node:crypto'
import { Problem } from '../../contract/problem.ts'
import { JobError, type RunningJob } from '../../runtime/kind.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { namesOf } from '../domains/names.ts'
import type { DomainRow } from '../domains/tables.ts'
import { type Authority, openAuthority } from './acme/authority.ts'
import { AcmeError } from './acme/error.ts'
import { type Challenge, orderCertificate, type Proof } from './acme/order.ts'
import { covers } from './certificate.ts'
import { signingRequest } from './csr.ts'
import { type Judged, judge } from './judge.ts'
import { type NewKeyType, newKey, pemOfKey } from './key.ts'
import type { Issued } from './use.ts'

export interface Asked {
  readonly domain: DomainRow
  /** All must be proven; if undefined, those served, with `www.` only if it can be proven. */
  readonly names: readonly string[] | undefined
  readonly challenge: Challenge
  readonly key_type: NewKeyType
  readonly publish: (proofs: readonly Proof[]) => Promise<void>
}

/** Orders a certificate, and validates it like an uploaded one. */
export async function obtain(runtime: Runtime, job: RunningJob, asked: Asked): Promise<Issued> {
  const authority = await openAuthority(runtime, job.signal)
  const { domain } = asked
  if (asked.names) return order(runtime, job, authority, asked, asked.names)
  try {
    return await order(runtime, job, authority, asked, namesOf(domain))
  } catch (error) {
    const www = `www.${domain.name}`
    if (!(error instanceof AcmeError) || error.domain !== www) throw error
    job.log(`${www} is left out: ${error.message}`, 'warn')
    return order(runtime, job, authority, asked, [domain.name])
  }
}

async function order(
  runtime: Runtime,
  job: RunningJob,
  authority: Authority,
  { domain, challenge, key_type, publish }: Asked,
  names: readonly string[],
): Promise<Issued> {
  const key = await newKey(key_type)
  const chain = await orderNames(runtime, job, authority, { names, about: domain.name, challenge, key, publish })
  return { kind: 'acme', chain, key }
}

export interface WantedNames {
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
  { names, about, challenge, key, publish }: WantedNames,
): Promise<Judged['chain']> {
  const request = await signingRequest(key, names)
  log(`Ordering a certificate for ${names.join(', ')}`)
  const pem = await orderCertificate(client, { names, challenge, request, accountKey, clock, signal, publish })
  const { chain } = judged(() => judge({ certificate: pem, private_key: pemOfKey(key) }, about, clock.now()))
  const missing = names.find((name) => !covers(chain[0].names, name))
  if (missing !== undefined) throw new JobError(`The certificate that was issued does not cover ${missing}.`, true)
  return chain
}

function judged<T>(judging: () => T): T {
  try {
    return judging()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const [fault] = Object.entries(error.fields ?? {}).map((field) => field.join(' '))
    throw new JobError(`The certificate that was issued cannot be used: ${fault ?? error.message}.`, true)
  }
}
