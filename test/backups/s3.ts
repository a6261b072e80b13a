import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'

/** The part of S3 that restic needs, over TLS on loopback, with its contents. */
export class S3Stub {
  readonly objects = new Map<string, Buffer>()
  readonly keys = new Set<string>()
  readonly endpoint: string

  private constructor(port: number) {
    this.endpoint = `https://localhost:${port}`
  }

  /** Programs started from now on trust its certificate. */
  static async start(dir: string): Promise<S3Stub> {
    const [key, cert] = [join(dir, 's3.key'), join(dir, 's3.crt')]
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
    const words = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '9']
    execFileSync('openssl', [...words, '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' })
    vi.stubEnv('SSL_CERT_FILE', cert)
    let stub!: S3Stub
    const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, answer) => {
      void stub.#serve(request, answer)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    stub = new S3Stub((server.address() as { port: number }).port)
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
      vi.unstubAllEnvs()
    })
    return stub
  }

  async #serve(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    const [, credential] = /Credential=([^/]+)\//.exec(request.headers.authorization ?? '') ?? []
    if (credential) this.keys.add(credential)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { pathname, searchParams } = new URL(request.url!, this.endpoint)
    const [, , ...path] = pathname.split('/')
    const name = decodeURIComponent(path.join('/'))
    if (name === '') return this.#bucket(searchParams, answer)
    if (request.method === 'PUT') this.objects.set(name, Buffer.concat(chunks))
    if (request.method === 'DELETE') {
      this.objects.delete(name)
      return void answer.writeHead(204).end()
    }
    this.#object(request, name, answer)
  }

  #bucket(query: URLSearchParams, answer: ServerResponse): void {
    answer.setHeader('Content-Type', 'application/xml')
    if (query.has('location')) return void answer.end('<LocationConstraint>us-east-1</LocationConstraint>')
    const prefix = query.get('prefix') ?? ''
    const delimiter = query.get('delimiter') ?? ''
    const found = [...this.objects.keys()].filter((name) => name.startsWith(prefix)).sort()
    const folders = new Set<string>()
    const items = found.flatMap((name) => {
      const end = delimiter ? name.indexOf(delimiter, prefix.length) : -1
      if (end >= 0) folders.add(name.slice(0, end + 1))
      return end >= 0 ? [] : [`<Contents><Key>${name}</Key><Size>${this.objects.get(name)!.length}</Size></Contents>`]
    })
    const common = [...folders].map((name) => `<CommonPrefixes><Prefix>${name}</Prefix></CommonPrefixes>`)
    answer.end(
      `<ListBucketResult><IsTruncated>false</IsTruncated>${items.join('')}${common.join('')}</ListBucketResult>`,
    )
  }

  #object({ method, headers }: IncomingMessage, name: string, answer: ServerResponse): void {
    const bytes = this.objects.get(name)
    if (!bytes) {
      const problem = '<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>'
      return void answer.writeHead(404, { 'Content-Type': 'application/xml' }).end(problem)
    }
    const about = {
      ETag: `"${createHash('md5').update(bytes).digest('hex')}"`,
      'Last-Modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
    }
    if (method === 'PUT') return void answer.writeHead(200, about).end()
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? []
    const part = from === undefined ? bytes : bytes.subarray(Number(from), to ? Number(to) + 1 : undefined)
    const range = { 'Content-Range': `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}` }
    answer.writeHead(from === undefined ? 200 : 206, {
      ...about,
      ...(from !== undefined && range),
      'Content-Length': part.length,
    })
    answer.end(method === 'HEAD' ? undefined : part)
  }
}
