-- Each request creates an account with a name of its own.
local next = tonumber(os.getenv("CREATE_FROM"))

request = function()
  next = next + 1
  local name = string.format("c%07d", next)
  local body = string.format('{"username":"%s","domain":"%s.example"}', name, name)
  wrk.headers["Content-Type"] = "application/json"
  return wrk.format("POST", nil, nil, body)
end
