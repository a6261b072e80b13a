import type { RemoteSettings } from '../../../contract/backup-destinations.ts'
import { refuseInvalid } from '../../../contract/problem.ts'
import { plainPath } from '../../../shared/patterns.ts'
import type { DestinationRow } from '../tables.ts'
import type { DestinationKeys } from './keys.ts'

type Type = DestinationRow['type']

/** A body's settings for reaching a destination. */
export type SettingsInput = RemoteSettings &
  Partial<Pick<DestinationKeys, 'secret_key' | 'private_key'>> & { readonly path?: string }

/** The fields of each type, and whether they are required. */
const fieldsOf: Readonly<Record<Type, Readonly<Record<string, boolean>>>> = {
  local: { path: true },
  s3: { endpoint: true, bucket: true, prefix: false, region: false, access_key: true, secret_key: true },
  sftp: { host: true, port: false, user: true, path: true, host_key: true, private_key: true },
}
const names = [...new Set(Object.values(fieldsOf).flatMap((fields) => Object.keys(fields)))] as (keyof SettingsInput)[]

/** 400 for fields of another type and, when creating, for missing ones. */
export function refuseSettings(type: Type, input: SettingsInput, isNew: boolean): void {
  const problem = (name: keyof SettingsInput): string | undefined => {
    const needed = fieldsOf[type][name]
    if (needed === undefined) return input[name] === undefined ? undefined : `is not for the type ${type}`
    if (input[name] === undefined) return isNew && needed ? `is required for the type ${type}` : undefined
    if (name === 'path' && type === 'local' && !plainPath.test(input.path!))
      return 'must be an absolute path of plain names, such as /srv/backups'
    return undefined
  }
  refuseInvalid(Object.fromEntries(names.map((name) => [name, problem(name)])))
}

/** The settings shown: all but the keys. */
export function visibleSettings({ path: _path, secret_key: _secret, private_key: _private, ...input }: SettingsInput) {
  return Object.fromEntries(
    Object.entries(input).filter(([name, value]) => names.includes(name as keyof SettingsInput) && value !== undefined),
  ) as RemoteSettings
}

/** The fields that locate backups: fixed as long as there are any. */
export const wheres = ['path', 'bucket', 'prefix'] as const
