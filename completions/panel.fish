# fish completion for panel
complete -c panel -f -a '(panel __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
