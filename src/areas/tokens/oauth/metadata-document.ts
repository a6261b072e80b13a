import { type Outgoing, OutgoingError } from '../../../outgoing/client.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { ownAddresses, urlProblem } from '../../webhooks/url.ts'
import { OAuthError } from './error.ts'
import { hostOf, nameIn, type OAuthClient, redirectUrisOf } from './metadata.ts'

const MAX_DOCUMENT_BYTES = 16 * 1024
const FETCH_TIMEOUT_MS = 5_000
/** The consent that a person reads must be to what the form then redirects to. */
const CACHE_TTL_MS = 15 * 60_000
const MAX_CACHED = 100
const MAX_ID_LENGTH = 512

interface Cached {
  readonly client: OAuthClient
  readonly until: number
}

interface Documents {
  readonly outgoing: Outgoing
  readonly cached: Map<string, Cached>
}

const documents = new WeakMap<Runtime, Documents>()

/** Called at each start. */
export function fetchDocumentsBy(runtime: Runtime, outgoing: Outgoing): void {
  documents.set(runtime, { outgoing, cached: new Map() })
}

/** The client of a metadata document at the address that is its id; undefined if there is none. */
export async function clientInDocument(runtime: Runtime, id: string): Promise<OAuthClient | undefined> {
  const { outgoing, cached } = documents.get(runtime)!
  const now = runtime.clock.now()
  const known = cached.get(id)
  if (known && known.until > now) return known.client
  if (!isDocumentAddress(runtime, id)) return undefined
  const client = await fetched(runtime, outgoing, id)
  if (!client) return undefined
  if (cached.size >= MAX_CACHED) cached.delete(cached.keys().next().value!)
  cached.set(id, { client, until: now + CACHE_TTL_MS })
  return client
}

/** Judged like a webhook's address, and with a path, as the draft of client id metadata documents demands. */
function isDocumentAddress(runtime: Runtime, id: string): boolean {
  if (id.length > MAX_ID_LENGTH || urlProblem(id, 'public', ownAddresses(runtime)) !== undefined) return false
  const { href, pathname } = new URL(id)
  return href === id && pathname !== '/'
}

async function fetched(runtime: Runtime, outgoing: Outgoing, id: string): Promise<OAuthClient | undefined> {
  const deadline = new AbortController()
  const cancel = runtime.clock.after(FETCH_TIMEOUT_MS, () => deadline.abort())
  try {
    const headers = { accept: 'application/json' }
    const { signal } = deadline
    const answer = await outgoing.get({ url: id, headers, reach: 'public', maxBytes: MAX_DOCUMENT_BYTES, signal })
    return answer.status === 200 ? clientIn(id, JSON.parse(answer.body.toString('utf8'))) : undefined
  } catch (error) {
    if (error instanceof OutgoingError || error instanceof SyntaxError || error instanceof OAuthError) return undefined
    throw error
  } finally {
    cancel()
  }
}

/** A document names its own address: otherwise anybody's file could stand for a client. */
function clientIn(id: string, content: unknown): OAuthClient | undefined {
  const { client_id, client_name, redirect_uris } = (content ?? {}) as Record<string, unknown>
  if (client_id !== id) return undefined
  return { id, name: nameIn(client_name, hostOf(id)), redirect_uris: redirectUrisOf(redirect_uris) }
}
