/** The directives that the accounts' Apache knows in `.htaccess` files: those of its modules (`parts/apache/modules.ts`). */
const names = `
AcceptPathInfo Action AddAlt AddAltByEncoding AddAltByType AddCharset AddDefaultCharset AddDescription AddEncoding
AddHandler AddIcon AddIconByEncoding AddIconByType AddInputFilter AddLanguage AddOutputFilter AddOutputFilterByType
AddType AliasPreservePath Allow AuthBasicAuthoritative AuthBasicFake AuthBasicProvider AuthBasicUseDigestAlgorithm
AuthDBMGroupFile AuthDigestAlgorithm AuthDigestDomain AuthDigestNcCheck AuthDigestNonceLifetime AuthDigestProvider
AuthDigestQop AuthGroupFile AuthMerging AuthName AuthType AuthUserFile AuthzDBMType AuthzSendForbiddenOnFailure
BrowserMatch BrowserMatchNoCase CGIPassAuth CGIVar CheckBasenameMatch CheckCaseOnly CheckSpelling ContentDigest
DefaultIcon DefaultLanguage DefaultType DeflateInflateLimitRequestBody DeflateInflateRatioBurst
DeflateInflateRatioLimit Deny DirectoryCheckHandler DirectoryIndex DirectoryIndexRedirect DirectorySlash EnableMMAP
EnableSendfile Error ErrorDocument ExpiresActive ExpiresByType ExpiresDefault FallbackResource FancyIndexing FileETag
FilterChain FilterDeclare FilterProtocol FilterProvider ForceLanguagePriority ForceType Header HeaderName
IndexHeadInsert IndexIgnore IndexIgnoreReset IndexOptions IndexOrderDefault IndexStyleSheet LanguagePriority
LimitRequestBody LimitXMLRequestBody MultiviewsMatch Options Order PassEnv ProxyFCGIBackendType ProxyFCGISetEnvIf
QualifyRedirectURL RLimitCPU RLimitMEM RLimitNPROC ReadmeName Redirect RedirectMatch RedirectPermanent
RedirectRelative RedirectTemp RemoveCharset RemoveEncoding RemoveHandler RemoveInputFilter RemoveLanguage
RemoveOutputFilter RemoveType RequestHeader Require RewriteBase RewriteCond RewriteEngine RewriteOptions RewriteRule
SSIErrorMsg SSIETag SSILastModified SSILegacyExprParser SSITimeFormat SSIUndefinedEcho SSLOptions SSLRenegBufferSize
SSLRequire SSLRequireSSL SSLUserName SSLVerifyClient SSLVerifyDepth Satisfy ServerSignature SetEnv SetEnvIf
SetEnvIfExpr SetEnvIfNoCase SetHandler SetInputFilter SetOutputFilter Substitute SubstituteInheritBefore
SubstituteMaxLineLength UnsetEnv XBitHack`

const known: ReadonlyMap<string, string> = new Map(
  names
    .trim()
    .split(/\s+/)
    .map((name) => [name.toLowerCase(), name]),
)

/** A directive's usual spelling; undefined for one that Apache passes over. */
export const knownName = (name: string): string | undefined => known.get(name.toLowerCase())
