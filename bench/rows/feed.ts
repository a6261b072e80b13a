import type { World } from '../world.ts'
import { compareRead } from './read.ts'

/** A page from the middle of the event feed. */
export const measure = async ({ middle, big }: World) => [
  await compareRead('feed page of 500 of 10,000 events', middle, '/events?limit=500&after=5000'),
  await compareRead('feed page of 500 of 1,000,000 events', big, '/events?limit=500&after=500000'),
]
