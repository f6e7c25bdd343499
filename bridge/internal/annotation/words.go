package annotation

import "strings"

// compounds are spellings that the rule of capitals would split wrongly. Longer ones stand before their prefixes.
var compounds = []string{
	"OAuth2", "OAuth", "UInt32", "UInt64", "UInt", "OpenID", "IPv4", "IPv6", "gRPC", "GraphQL", "GitHub", "GitLab", "PostgreSQL", "MySQL",
	"NoSQL",
	"mTLS", "eBPF", "iOS", "macOS", "IDs", "URLs", "URIs", "URNs", "APIs", "VMs", "VPCs", "ACLs", "CAs", "IPs", "DBs", "SKUs",
	"SLOs", "SLAs", "SDKs", "CPUs", "GPUs", "TPUs", "TTLs", "PVCs", "CRDs", "JWTs", "RPCs", "FAQs", "PDFs", "CSVs", "UUIDs",
}

// Words splits an identifier of any convention into its words, spelling kept: `GetHTTPProxy` → Get HTTP Proxy,
// `OAuth2Token` → OAuth2 Token, `getV1Beta1Book` → get V1Beta1 Book, `book_id` → book id. Digits stay with the word before
// them; characters other than ASCII letters and digits separate words.
func Words(name string) []string {
	var words []string
	for i := 0; i < len(name); {
		n := wordLength(name[i:])
		if n == 0 {
			i++
			continue
		}
		words = appendWord(words, name[i:i+n])
		i += n
	}
	return words
}

// appendWord adds a word, or lets it continue a version: `V1`, `Beta1` are one word.
func appendWord(words []string, word string) []string {
	if n := len(words); n > 0 && isVersion(words[n-1]) && isStability(word) {
		words[n-1] += word
		return words
	}
	return append(words, word)
}

func isVersion(word string) bool {
	return len(word) > 1 && (word[0] == 'v' || word[0] == 'V') && strings.Trim(word[1:], "0123456789") == ""
}

func isStability(word string) bool {
	stem := strings.TrimRight(word, "0123456789")
	return stem == "Alpha" || stem == "Beta"
}

// wordLength returns the length of the word that s opens with, 0 when s opens with a separator.
func wordLength(s string) int {
	for _, c := range compounds {
		if strings.HasPrefix(s, c) && (len(s) == len(c) || !isLower(s[len(c)])) {
			return len(c)
		}
	}
	capitals := 0
	for capitals < len(s) && isUpper(s[capitals]) {
		capitals++
	}
	end := capitals
	if capitals > 1 && end < len(s) && isLower(s[end]) {
		return capitals - 1
	}
	for end < len(s) && (isLower(s[end]) || isDigit(s[end])) {
		end++
	}
	return end
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// Humanise writes an identifier as words: `GetHTTPProxy` → "Get HTTP proxy". Acronyms and mixed spellings are kept; it
// returns name itself when that has no words.
func Humanise(name string) string {
	words := Words(name)
	if len(words) == 0 {
		return name
	}
	for i, w := range words {
		if isUpper(w[0]) && strings.ToLower(w[1:]) == w[1:] {
			words[i] = strings.ToLower(w)
		}
	}
	if isLower(words[0][0]) && strings.ToLower(words[0]) == words[0] {
		words[0] = strings.ToUpper(words[0][:1]) + words[0][1:]
	}
	return strings.Join(words, " ")
}
