/** An answer that is not understood is an outcome of its own. */
export const sql = `
CREATE TABLE delivery_attempts_anew (
  delivery_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  http_status INTEGER,
  error TEXT CHECK (error IN
    ('timeout', 'dns', 'connect', 'tls', 'blocked-address', 'answer', 'redirect', 'status', 'interrupted')),
  response_start TEXT,
  PRIMARY KEY (delivery_id, number)
) STRICT, WITHOUT ROWID;
INSERT INTO delivery_attempts_anew SELECT * FROM delivery_attempts;
DROP TABLE delivery_attempts;
ALTER TABLE delivery_attempts_anew RENAME TO delivery_attempts;
`
