import type { Repository } from '../../contract/repository.ts'

/** How restic finds a repository: keys go through the environment only, which no other user can read. */
export function environmentOf(repository: Repository, cache: string): NodeJS.ProcessEnv {
  const { PATH, SSL_CERT_FILE } = process.env
  return {
    ...(PATH && { PATH }),
    ...(SSL_CERT_FILE && { SSL_CERT_FILE }),
    RESTIC_REPOSITORY: nameOf(repository),
    RESTIC_PASSWORD: repository.password,
    RESTIC_CACHE_DIR: cache,
    RESTIC_PROGRESS_FPS: '1',
    ...(repository.type === 's3' && {
      AWS_ACCESS_KEY_ID: repository.accessKey,
      AWS_SECRET_ACCESS_KEY: repository.secretKey,
      ...(repository.region !== undefined && { AWS_DEFAULT_REGION: repository.region }),
    }),
  }
}

export function nameOf(repository: Repository): string {
  if (repository.type === 'sftp') return `sftp:${repository.user}@${repository.host}:${repository.path}`
  const { endpoint, bucket, prefix } = repository
  return `s3:${[endpoint, bucket, ...(prefix === undefined ? [] : [prefix])].join('/')}`
}
