import { serveAgent } from './main.ts'

void serveAgent()
