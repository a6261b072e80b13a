# bash completion for panel
_panel() {
  local line=${COMP_LINE:0:COMP_POINT} words=() word prefix
  # COMP_WORDBREAKS cuts words at @ : and =, so the line is cut at blanks again.
  read -r -a words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  word=${words[${#words[@]} - 1]}
  # Only $2 is replaced by what is chosen.
  prefix=${word%"$2"}
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    COMPREPLY+=("${word#"$prefix"}")
  done < <("${words[0]}" __complete -- "${words[@]:1}" 2>/dev/null)
  [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o default -F _panel panel
