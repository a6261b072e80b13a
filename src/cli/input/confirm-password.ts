import type { Client } from '../request/client.ts'
import { sessionPath } from '../request/session.ts'
import { askHidden } from './ask.ts'

/** Prompts for the session's password and confirms it, so that the refused request can be repeated. */
export async function confirmPassword(client: Client): Promise<void> {
  const { label, session } = client.target
  if (!session) return
  const password = await askHidden(`Your password on ${label}, to continue:`)
  await client.call({ method: 'POST', path: sessionPath(session.panel, 'confirm'), body: { password } })
}
