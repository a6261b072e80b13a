const bash = `# bash completion for panel
_panel() {
  local line=\${COMP_LINE:0:COMP_POINT} words=() word prefix
  # COMP_WORDBREAKS cuts words at @ : and =, so the line is cut at blanks again.
  read -r -a words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  word=\${words[\${#words[@]} - 1]}
  # Only $2 is replaced by what is chosen.
  prefix=\${word%"$2"}
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    COMPREPLY+=("\${word#"$prefix"}")
  done < <("\${words[0]}" __complete -- "\${words[@]:1}" 2>/dev/null)
  [[ \${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o default -F _panel panel
`

const zsh = `#compdef panel
# zsh completion for panel
_panel() {
  local -a offers
  local line
  while IFS= read -r line; do
    offers+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done < <("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#offers} )); then
    _describe 'panel' offers
  else
    _files
  fi
}
if [[ \${funcstack[1]} == _panel ]]; then
  _panel "$@"
else
  compdef _panel panel
fi
`

const fish = `# fish completion for panel
complete -c panel -f -a '(panel __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`

const powershell = `# PowerShell completion for panel
Register-ArgumentCompleter -Native -CommandName panel -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($wordToComplete -eq '') { $words += '""' }
  & panel __complete -- @words 2>$null | ForEach-Object {
    $word, $meaning = $_ -split "\`t", 2
    if (-not $meaning) { $meaning = $word }
    [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $meaning)
  }
}
`

/** File name to the completion script; each asks \`panel __complete\`, so it never grows old. */
export const completionScripts = (): ReadonlyMap<string, string> =>
  new Map([
    ['_panel', zsh],
    ['panel.bash', bash],
    ['panel.fish', fish],
    ['panel.ps1', powershell],
  ])
