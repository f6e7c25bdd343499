package lint

import (
	"slices"
	"strings"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
)

// longest is what the names of tools have at most to stay whole in every client, for a server that is called by up to 13
// letters there: Codex, Gemini CLI and VS Code put that name before them and cut what is over 64, and Cursor leaves it out.
const longest = 44

// name looks at what is wrong with the name of a tool, for some clients and for models, that stands for a method.
func (f *findings) name(name, method string) {
	const mend = "give it another one, by bridge.v1 or the configuration"
	if !IsName(name) {
		return
	}
	if len(name) > longest {
		f.add(nameLong, "name", mend,
			"clients put the name of their server before it and cut what is over 64 characters, so that %d are safe: it has %d",
			longest, len(name))
	}
	if cryptic(withoutHash(name, method)) || len(method) == 1 && endsIn(name, method) {
		f.add(nameCryptic, "name", mend, "a model cannot guess from the name what the tool does")
	}
}

// endsIn says whether a name ends in that of the method as names are derived from it.
func endsIn(name, method string) bool {
	return strings.HasSuffix("_"+strings.ToLower(name), "_"+strings.ToLower(strings.Join(annotation.Words(method), "_")))
}

// withoutHash takes away the eight digits by which the catalog tells derived names apart. Where the method itself is called
// so, they are no such digits.
func withoutHash(name, method string) string {
	const hash = len("_01234567")
	at := len(name) - hash
	if at <= 0 || name[at] != '_' || strings.Trim(name[at+1:], "0123456789abcdef") != "" || endsIn(name, method) {
		return name
	}
	return name[:at]
}

// cryptic says whether a name has a word that says nothing: a letter by itself, letters that cannot be spoken and are no usual
// abbreviation, more than three digits in a row that are no year, or digits and letters in turns.
func cryptic(name string) bool {
	words := annotation.Words(name)
	if len(words) == 1 && len(words[0]) == 1 {
		return !slices.Contains([]string{"x", "y", "z"}, strings.ToLower(words[0]))
	}
	for _, w := range words {
		w = strings.ToLower(w)
		letters := strings.TrimRight(w, "0123456789")
		digits := w[len(letters):]
		year := len(digits) == 4 && (digits[:2] == "19" || digits[:2] == "20")
		if len(digits) > 3 && !year || turns(w) > maxTurns || unspoken(letters) {
			return true
		}
	}
	return false
}

// unspoken says whether a word cannot be spoken and is no usual abbreviation. One with digits within, such as k8s, is left to
// its turns.
func unspoken(word string) bool {
	return len(word) > 2 && !strings.ContainsAny(word, "aeiouy0123456789") && !known(abbreviations, word)
}

// maxTurns is how often letters and digits take turns in a word that people still read, such as v1beta1.
const maxTurns = 3

// turns counts how often a letter follows a digit or a digit a letter.
func turns(word string) int {
	n := 0
	for i := 1; i < len(word); i++ {
		if isDigit(word[i]) != isDigit(word[i-1]) {
			n++
		}
	}
	return n
}

// abbreviations are the usual ones without a vowel, sorted; models know what they mean.
var abbreviations = []string{
	"bgp", "bps", "bzl", "cdn", "cds", "cfg", "cmd", "cmk", "cnn", "cnt", "cpp", "crd", "crds", "csr", "css", "csv", "ctl",
	"ctr", "ctx", "cwt", "dbs", "dcg", "ddl", "dkg", "dlp", "dml", "dns", "dst", "fps", "ftp", "gbps", "gcm", "gcp", "gcs",
	"gdpr", "gkms", "gnn", "gpg", "gpt", "grp", "grpc", "hbm", "hdfs", "hdr", "hds", "hls", "hsm", "html", "http", "https",
	"jpg", "jvm", "jws", "jwt", "jwts", "kbps", "kfp", "kml", "kms", "knn", "krb", "lds", "lfs", "lgtm", "lhs", "llm", "llms",
	"lrs", "lstm", "ltr", "mbps", "mcp", "mfcc", "mfs", "mgmt", "mgr", "mlp", "mpg", "mqtt", "mrr", "msg", "msgs", "mtd", "mtls", "mtn",
	"nchw", "ndcg", "nfs", "nlp", "npm", "ntp", "nvmc", "pct", "pdf", "pdfs", "pgp", "pkg", "png", "ppt", "prng", "ptr", "pts",
	"ptz", "pvc", "pvcs", "pvt", "pwd", "qps", "rbd", "rdf", "rds", "rgb", "rhs", "rls", "rms", "rng", "rnn", "rpc", "rpcs",
	"rsc", "rss", "rst", "rtl", "rtt", "sdk", "sdks", "sftp", "shr", "sks", "sls", "smb", "sms", "smtp", "snmp", "spf", "spn",
	"sql", "src", "srv", "srvs", "ssd", "ssh", "ssl", "sst", "std", "str", "svc", "svg", "svm", "tbl", "tcp", "tdd", "tfx",
	"tgz", "tls", "tmp", "tpc", "tpcs", "tpm", "tps", "tsv", "ttft", "ttl", "ttls", "txn", "txns", "txt", "vms", "vnc", "vpc",
	"vpcs", "vpn", "vps", "vrf", "xds", "xls", "xlsx", "xml", "xsd", "xss",
}
