import { serve } from '../../src/server/serve.ts'

try {
  await serve(JSON.parse(process.argv[2]!))
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
