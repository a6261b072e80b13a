interface Sealed {
  /** The repository's encryption password. */
  readonly password: string
}

export interface S3Repository extends Sealed {
  readonly type: 's3'
  /** `https://s3.example` */
  readonly endpoint: string
  readonly bucket: string
  readonly prefix?: string | undefined
  readonly region?: string | undefined
  readonly accessKey: string
  readonly secretKey: string
}

export interface SftpRepository extends Sealed {
  readonly type: 'sftp'
  readonly host: string
  readonly port: number
  readonly user: string
  readonly path: string
  readonly privateKey: string
  /** Type and key; other hosts are refused. */
  readonly hostKey: string
}

/** A restic repository on another machine. */
export type Repository = S3Repository | SftpRepository
