import { areas } from './areas.ts'
import { operationList } from './index.ts'
import { Examples } from './openapi/examples.ts'
import { inputsOf, operationObject, outputsOf, PathParameters, type Writing } from './openapi/operations.ts'
import { ProblemAnswers, ProblemSchema } from './openapi/problems.ts'
import { type Json, join, translate } from './openapi/schemas.ts'
import { securitySchemes } from './openapi/security.ts'
import { deliveryHeaders, deliveryResponses, payloads, webhooks } from './openapi/webhooks.ts'
import { version } from './version.ts'

/** The general description, in Markdown. */
export const description = `The JSON API of a web-hosting control panel. Its screens and its command line use the same API.

- Bodies are JSON; unknown fields and query parameters are refused.
- Times are Unix milliseconds, ids are 26-character ULIDs. Absent optional fields are left out, never null.
- Errors are \`application/problem+json\`; the last segment of \`type\` is a stable code.
- A change that touches the host answers 202 with a \`job_id\`; it is done when \`getJob\` says \`succeeded\`.
- \`x-panel\` says of every operation who may call it, which token areas reach it, which events it emits and every error code it can answer.
- On the server itself, any process that can open the Unix socket \`panel.sock\` in the data directory acts as root.`

const info: Json = {
  title: 'panel',
  version,
  summary: 'API of a web-hosting control panel',
  description,
  license: { name: 'MIT', identifier: 'MIT' },
}

const anyServer: Json = {
  url: 'https://{hostname}:{port}/api/v1',
  description: 'A server, by the hostname its certificate is for',
  variables: {
    hostname: { default: 'host.invalid', description: "The server's hostname" },
    port: { default: '7711', description: 'Its port' },
  },
}

const headers: Record<string, Json> = {
  'X-Request-Id': { description: 'Identifies the request in logs and in the audit trail', schema: { type: 'string' } },
  'Idempotency-Replayed': {
    description: '`true` if this is the stored answer to the first request with this key',
    schema: { type: 'string', const: 'true' },
  },
  'WWW-Authenticate': { description: 'How to sign in', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer', minimum: 0 } },
  Location: { description: 'Where to continue', schema: { type: 'string' } },
}

const idempotencyKey: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes repeating a request safe: for 24 hours the same key and request return the same answer, without a second effect',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
}

function tagsOf(names: ReadonlySet<string>): Json[] {
  return [...names].map((name) => {
    if (!(name in areas)) throw new Error(`contract/areas.ts does not describe the area ${name}`)
    return { name, description: areas[name as keyof typeof areas] }
  })
}

function pathsOf(writing: Writing): Record<string, Json> {
  const paths: Record<string, Json> = {}
  for (const op of operationList) {
    if (paths[op.path]?.[op.method]) throw new Error(`two operations are ${op.method} ${op.path}`)
    paths[op.path] = { ...paths[op.path], [op.method]: operationObject(op, writing) }
  }
  return paths
}

function writingOf(): Writing {
  const input = translate(inputsOf(operationList), 'input')
  const output = translate(new Map([...outputsOf(operationList), ...payloads(), ['problem', ProblemSchema]]), 'output')
  const requests = new Examples(input.named)
  return {
    input,
    output,
    requests,
    answers: new Examples(output.named),
    problems: new ProblemAnswers(),
    pathParameters: new PathParameters(),
  }
}

const used = (all: Record<string, Json>, where: string, document: unknown): Record<string, Json> => {
  const text = JSON.stringify(document)
  return Object.fromEntries(Object.entries(all).filter(([name]) => text.includes(`"#/components/${where}/${name}"`)))
}

/**
 * The contract as an OpenAPI 3.1 document: operations, schemas, problems and webhooks. `server` is the base URL if it
 * describes one server.
 */
export function openapi(options: { server?: string } = {}): Record<string, unknown> {
  const writing = writingOf()
  const paths = pathsOf(writing)
  const responses = writing.problems.answers
  return {
    openapi: '3.1.1',
    info,
    servers: [options.server ? { url: options.server } : anyServer],
    tags: tagsOf(new Set([...operationList.map((op) => op.area), 'webhooks'])),
    paths,
    webhooks: webhooks(writing.output),
    components: {
      schemas: join(writing.input.named, writing.output.named),
      responses: { ...responses, ...deliveryResponses },
      parameters: { ...writing.pathParameters.all, 'Idempotency-Key': idempotencyKey, ...deliveryHeaders },
      examples: writing.problems.examples,
      headers: used(headers, 'headers', [paths, responses]),
      securitySchemes,
    },
  }
}
