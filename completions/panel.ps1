# PowerShell completion for panel
Register-ArgumentCompleter -Native -CommandName panel -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($wordToComplete -eq '') { $words += '""' }
  & panel __complete -- @words 2>$null | ForEach-Object {
    $word, $meaning = $_ -split "`t", 2
    if (-not $meaning) { $meaning = $word }
    [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $meaning)
  }
}
