# PowerShell completion for svc; to use it: svc completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
    param($typed, $line, $cursor)
    # The words before the one that is completed, without their quotes.
    $words = @($line.CommandElements | Select-Object -Skip 1 |
            Where-Object { $_.Extent.EndOffset -lt $cursor } |
            ForEach-Object { if ($null -ne $_.Value) { "$($_.Value)" } else { $_.Extent.Text } })
    # Older versions pass no empty word on.
    $last = if ($typed -eq '' -and $PSVersionTable.PSVersion -lt [version]'7.3') { '""' } else { $typed }
    # In quotes, because PowerShell takes a bare -- off when npm's svc.ps1 is what starts svc.
    foreach ($candidate in @(& svc __complete '--' @words $last 2>$null)) {
        # Without a result, PowerShell completes the names of files.
        if ($candidate -eq ':files') { return }
        $value, $description = $candidate -split "`t", 2
        if (-not $value -or -not $value.StartsWith($typed)) { continue }
        $text = if ($value -match '[^\w./:=@%+-]') { "'" + $value.Replace("'", "''") + "'" } else { $value }
        if (-not $description) { $description = $value }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $description)
    }
}
