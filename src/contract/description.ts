import { z } from 'zod'
import { operation } from './operation.ts'

export const getOpenApi = operation({
  id: 'getOpenApi',
  method: 'get',
  path: '/openapi.json',
  area: 'description',
  summary: 'Describe this API as OpenAPI 3.1',
  status: 200,
  answer: z.record(z.string(), z.unknown()),
  allow: 'anyone',
  token: { admin: 'any', account: 'any' },
})
