import { remotePatterns as patterns } from '../../shared/patterns.ts'
import { complete, depending, objectOf, oneOf, optional, type Schema, text } from '../contract/fields.ts'
import type { Repository, S3Repository, SftpRepository } from '../contract/repository.ts'

const password = text(patterns.key)
const MAX_KEY_LENGTH = 16_384

const s3 = objectOf<S3Repository>(
  {
    type: oneOf('s3'),
    endpoint: text(patterns.endpoint, 300),
    bucket: text(patterns.bucket),
    prefix: optional(text(patterns.prefix, 1_024)),
    region: optional(text(patterns.region)),
    accessKey: text(patterns.key, 256),
    secretKey: text(patterns.key, 256),
    password,
  },
  'a repository',
)

const sftp = objectOf<SftpRepository>(
  {
    type: oneOf('sftp'),
    host: text(patterns.host),
    port: complete(1, 65_535),
    user: text(patterns.user),
    path: text(patterns.path, 1_024),
    privateKey: text(patterns.privateKey, MAX_KEY_LENGTH),
    hostKey: text(patterns.hostKey, MAX_KEY_LENGTH),
    password,
  },
  'a repository',
)

/** A repository on another machine, without anything that ssh or restic could interpret differently. */
export const checkRepository: Schema<Repository> = depending<Repository>((value) =>
  (value as Partial<Repository> | null)?.type === 's3' ? s3 : sftp,
)
