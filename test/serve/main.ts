import { serve } from '../../src/server/serve.ts'

serve(JSON.parse(process.argv[2]!)).catch((error: Error) => {
  console.error(error.message)
  process.exitCode = 1
})
