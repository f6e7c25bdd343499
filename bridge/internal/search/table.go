package search

import "strings"

// stopWords are the words that say nothing of what is looked for.
var stopWords = set(`
	a an the of to in on at by for from with into onto out up off over and or nor but if then than as so also just only still yet
	is are am was were be been being do does did done doing has have had having i me my mine we us our you your he she it its they
	them their this that these those there here can could may might must shall should will would not no please want wants need
	needs like let lets give tell something somebody someone anything thing things some any each every such very much more most
	another other else same own way able between within without through during while because since until per via
	ll re ve don doesn isn aren`)

// questions are the words of questions. They stand for a sort of answer in a query and for nothing in a text, where they only
// join sentences, so that none is indexed.
var questions = set(`which what who whom whose when where why how many whether`)

// prepositions are the words after which a query tells no longer of the thing that is wanted, but of what is around it.
var prepositions = set(`
	of in on at by for from with into to after before during while because so that without under`)

// hints are other words that say what sort of thing is wanted, and little of the thing itself.
var hints = set(`all new old existing current now use used using longer`)

// phrases are, by the stem of the first and the second word, verbs and questions of two words, and what they mean in one.
var phrases = pairs(`
	log in login; sign in login; log on login; log out logout; sign out logout; log off logout; sign up register
	turn on enable; switch on enable; turn off disable; switch off disable; shut down stop; take down stop; bring up start
	set up create; kick off start; fire up start; start over restart; roll back rollback; take back revoke; take away revoke
	look up get; look at get; look for search; find out get; bring back restore; get back restore; get rid delete
	throw away delete; throw out delete; clean up delete; wipe out delete; take off remove; call off cancel; give up release
	write down store; fill in set; hand over transfer; hold on keep; carry on resume; go on resume; make sure verify
	who may permission; who can permission; allowed to permission; permitted to permission
	how many count; how much count; how far progress; how long duration
	back up backup; check out checkout; check in checkin; speed up accelerate; add up count; hook up connect; point to link`)

// synonyms are, by the stem of a word, the other words of its lines of equivalents.
var synonyms = equivalents(`
	delete remove drop erase purge discard destroy
	create add new insert make register define save
	list show all enumerate which what browse
	get fetch read lookup retrieve describe view show what see return
	receive pull poll consume fetch
	process handle
	acknowledge ack confirm
	archive retire deprecate
	echo repeat reply respond return
	extend prolong postpone
	replay rewind reset restart seek
	train fit tune
	predict infer
	embed vectorize
	translate convert transform
	merge combine join
	split divide
	block ban suspend
	explain reason
	search find query look match
	update change modify edit patch set alter adjust
	start run launch begin execute trigger invoke
	stop cancel abort terminate end kill halt
	pause suspend
	resume unpause continue
	undo undelete restore rollback revert recover
	check test verify validate whether
	count many number
	send publish post push emit write export
	put set store write save
	upload import load ingest push
	download export
	copy clone duplicate replicate
	move transfer migrate
	rename name
	grant allow permit assign
	revoke deny withdraw
	permission access privilege authorization
	enable activate
	disable deactivate
	login authenticate signin
	logout signout
	close shutdown
	clear empty truncate
	release free reclaim
	attach connect link bind
	detach disconnect unlink
	evaluate assess score
	compute calculate generate
	node member server host
	user account person
	organization organisation company
	password credential secret
	document file
	message event
	nearest close similar neighbor
	schedule periodic cron recurring daily nightly weekly hourly night
	state status progress
	health healthy alive ping
	uptime availability
	size big large length
	statistic metric measurement
	certificate tls ssl
	limit quota
	tag label
	version revision
	machine vm instance
	folder directory
	ask question query
	history log
	monitor watch observe
	deadline timeout expiration ttl
	config configuration setting option
	error failure fail
	information info detail
	disk storage space
	copy backup snapshot`)

// intents are, by the stem of a verb, or of a question, the sorts of effect: to read, to make, to change, to remove. A method
// with the wrong one is hardly what was meant, though all else that it says may fit.
var intents = sorts(`
	list get read fetch show find search query describe look count view browse enumerate lookup retrieve see return compare check
		test verify validate which who what whose when where whether;
	create add insert make register define upload import;
	update change modify edit alter adjust patch rename set increase decrease;
	delete remove drop erase purge discard destroy`)

// set makes a set of the words of a text.
func set(text string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		all[word] = true
	}
	return all
}

// pairs reads triples of words, with semicolons or line breaks between: two words and the one that they mean.
func pairs(table string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(strings.ReplaceAll(table, ";", "\n")) {
		if list := strings.Fields(line); len(list) == 3 {
			all[stem(list[0])+" "+list[1]] = list[2]
		}
	}
	return all
}

// equivalents reads a table with a line for the words of each meaning. A word of several lines has them all.
func equivalents(table string) map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(table) {
		list := strings.Fields(line)
		for _, word := range list {
			for _, other := range list {
				if other != word {
					all[stem(word)] = append(all[stem(word)], other)
				}
			}
		}
	}
	return all
}

// sorts reads words of several sorts, with semicolons between. The first sort is 1.
func sorts(table string) map[string]intent {
	all := map[string]intent{}
	for i, sort := range strings.Split(table, ";") {
		for word := range strings.FieldsSeq(sort) {
			all[stem(word)] = intent(i + 1)
		}
	}
	return all
}
