/** When each step of a job began. */
export const sql = 'ALTER TABLE jobs ADD COLUMN step_times TEXT;'
