import type { z } from 'zod'
import type { Declaration } from './operation.ts'

/**
 * Whether AI agents cannot call it for any principal: what is marked as sensitive, and raw bytes, which are neither
 * JSON nor bounded.
 */
export const isOutOfReach = (op: Declaration): boolean => op.sensitive !== undefined || op.raw !== undefined

/** Whether a person must approve it when an AI agent calls it: deletions, and what the command line asks before. */
export const isDestructive = ({ method, cli }: Declaration): boolean =>
  method === 'delete' || cli?.confirm !== undefined || cli?.confirmWhen !== undefined

/** Body fields whose values are secrets. */
export const secretName = /^(.*_)?(password|passphrase|private_key|secret|secret_key)$/

/** Whether the value of a body field is a secret: by its name, or as the operation declares. */
export const isSecretField = ({ secretFields = [] }: Pick<Declaration, 'secretFields'>, name: string): boolean =>
  secretName.test(name) || secretFields.includes(name)

/** A password that the panel can generate: nothing else must know it beforehand. */
const newPasswordName = /^(new_)?password$/

/** The body fields of an operation whose values the panel generates for an AI agent. */
export const passwordFields = ({ body }: Declaration): string[] =>
  Object.keys(body?.shape ?? {}).filter((name) => newPasswordName.test(name))

/** Those that it needs: an optional one only for a user that is created along. */
export const neededPasswords = (op: Declaration, body: Readonly<Record<string, unknown>>): string[] =>
  passwordFields(op).filter((name) => {
    const isOptional = (op.body!.shape[name] as z.ZodType).safeParse(undefined).success
    return !isOptional || op.id === 'createAccount' || body['user'] !== undefined
  })
