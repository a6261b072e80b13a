/** What the agent of a node drives is known while it is away, too. */
export const sql = 'ALTER TABLE nodes ADD COLUMN driver TEXT;'
