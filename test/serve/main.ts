import { serve } from '../../src/server/serve.ts'
import { readyKeys } from '../ready-keys.ts'

serve({ ...JSON.parse(process.argv[2]!), rsaKeys: readyKeys() }).catch((error: Error) => {
  console.error(error.message)
  process.exitCode = 1
})
