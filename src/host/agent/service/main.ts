import { runAgent } from './run.ts'

void runAgent(process.argv.slice(2))
