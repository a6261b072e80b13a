import type { RemoteSettings } from '../../../contract/backup-destinations.ts'
import { refuseFaults } from '../../../contract/problem.ts'
import { plainPath } from '../../../shared/patterns.ts'
import type { DestinationRow } from '../tables.ts'
import type { Keys } from './keys.ts'

type Type = DestinationRow['type']

/** A body's settings for reaching a destination. */
export type Given = RemoteSettings & Partial<Pick<Keys, 'secret_key' | 'private_key'>> & { readonly path?: string }

/** The fields of each type, and whether they are required. */
const fieldsOf: Readonly<Record<Type, Readonly<Record<string, boolean>>>> = {
  local: { path: true },
  s3: { endpoint: true, bucket: true, prefix: false, region: false, access_key: true, secret_key: true },
  sftp: { host: true, port: false, user: true, path: true, host_key: true, private_key: true },
}
const names = [...new Set(Object.values(fieldsOf).flatMap((fields) => Object.keys(fields)))] as (keyof Given)[]

/** 400 for fields of another type and, when creating, for missing ones. */
export function refuseSettings(type: Type, given: Given, isNew: boolean): void {
  const fault = (name: keyof Given): string | undefined => {
    const needed = fieldsOf[type][name]
    if (needed === undefined) return given[name] === undefined ? undefined : `is not for the type ${type}`
    if (given[name] === undefined) return isNew && needed ? `is required for the type ${type}` : undefined
    if (name === 'path' && type === 'local' && !plainPath.test(given.path!))
      return 'must be an absolute path of plain names, such as /srv/backups'
    return undefined
  }
  refuseFaults(Object.fromEntries(names.map((name) => [name, fault(name)])))
}

/** The settings shown: all but the keys. */
export function shownSettings({ path: _path, secret_key: _secret, private_key: _private, ...given }: Given) {
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => names.includes(name as keyof Given) && value !== undefined),
  ) as RemoteSettings
}

/** The fields that locate backups: fixed as long as there are any. */
export const wheres = ['path', 'bucket', 'prefix'] as const
